import Assay
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation
import Testing

@Suite("Chains against pins")
struct PinFindingTests {
    private static let now = Date()

    private static func chain(_ identity: TestServerIdentity) throws -> [PresentedCertificate] {
        try identity.chain.map { (der) throws(DecodeError) in try PresentedCertificate(der: der) }
    }

    @Test("A pin is the SHA-256 of the public key's SubjectPublicKeyInfo")
    func pin() throws {
        let identity = try TestServerIdentity("pin")
        let chain = try Self.chain(identity)
        let digest = SHA256.hash(data: identity.key.subjectPublicKeyInfo())
        #expect(chain[0].pin.text == Data(digest).base64EncodedString())
        #expect(chain.map(\.subject) == ["CN=pin", "CN=pin authority"] && chain[0].issuer == "CN=pin authority")
        #expect(!chain[0].isSelfIssued && chain[1].isSelfIssued)
        #expect(chain[0].daysLeft(at: Self.now) == 89 || chain[0].daysLeft(at: Self.now) == 90)
    }

    @Test("Any certificate of the chain may have the pin, in its window, while the leaf is valid")
    func findings() throws {
        let chain = try Self.chain(TestServerIdentity("a"))
        let expired = try Self.chain(TestServerIdentity("b", ends: -3600))
        let other = try Self.chain(TestServerIdentity("c"))[0].pin
        let (leaf, authority) = (chain[0].pin, chain[1].pin)
        func within(_ pin: Pin, from start: Double?, until end: Double?) -> Pin {
            var pin = pin
            pin.notBefore = start.map { Self.now + $0 }
            pin.notAfter = end.map { Self.now + $0 }
            return pin
        }
        let (past, future) = (within(leaf, from: nil, until: -60), within(leaf, from: 60, until: nil))
        let cases: [(chain: [PresentedCertificate], pins: [Pin], finding: PinFinding)] = [
            (chain, [], .unpinned), (chain, [leaf], .matched(leaf)), (chain, [other, authority], .matched(authority)),
            (chain, [authority, leaf], .matched(leaf)), (chain, [other], .unmatched),
            // The leaf alone, without the intermediate certificate that is pinned.
            ([chain[0]], [authority], .unmatched), (chain, [past], .outsideWindow(past)),
            (chain, [future, other], .outsideWindow(future)), (chain, [past, authority], .matched(authority)),
            (chain, [within(other, from: nil, until: -60)], .noneInForce),
            (chain, [within(leaf, from: -60, until: 60)], .matched(within(leaf, from: -60, until: 60))),
            (expired, [], .expired(expired[0].notAfter)), (expired, [expired[0].pin], .expired(expired[0].notAfter)),
            // A mismatch says more than the end of a foreign leaf.
            (expired, [other], .unmatched),
        ]
        for (index, known) in cases.enumerated() {
            #expect(PinFinding(of: known.chain, pins: known.pins, at: Self.now) == known.finding, "case \(index)")
        }
        let early = chain[0].notBefore - 1
        #expect(PinFinding(of: chain, pins: [leaf], at: early) == .notYetValid(chain[0].notBefore))
        #expect(PinFinding(of: chain, pins: [leaf], at: chain[0].notBefore) == .matched(leaf))
    }

    @Test("The bounds of a window count")
    func bounds() throws {
        var pin = try Self.chain(TestServerIdentity("a"))[0].pin
        pin.notBefore = Date(timeIntervalSince1970: 1000)
        pin.notAfter = Date(timeIntervalSince1970: 2000)
        for (time, isInForce) in [(999.9, false), (1000, true), (2000.9, true), (2001, false)] {
            #expect(pin.isInForce(at: Date(timeIntervalSince1970: time)) == isInForce, "\(time)")
        }
    }

    @Test("A cut certificate is refused, at every length")
    func cut() throws {
        let der = try TestServerIdentity("a").chain[0]
        for count in 0..<der.count {
            #expect(throws: DecodeError.self) { try PresentedCertificate(der: Array(der[..<count])) }
        }
    }

    @Test("Files are PEM with any text around, or one DER certificate, and no keys")
    func files() throws {
        let identity = try TestServerIdentity("a")
        let chain = try Self.chain(identity)
        #expect(try PresentedCertificate.read(file: identity.chain[0]) == [chain[0]])
        #expect(try PresentedCertificate.read(file: Array("subject=a\n\(identity.pem)".utf8)) == chain)
        for text in [identity.key.pem, identity.pem + identity.key.pem, "nothing", String(identity.pem.prefix(200))] {
            #expect(throws: DecodeError.self) { try PresentedCertificate.read(file: Array(text.utf8)) }
        }
    }
}
