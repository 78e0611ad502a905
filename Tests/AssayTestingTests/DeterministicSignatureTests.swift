import AssayTesting
import Crypto
import Foundation
import Testing

@Suite("Signatures that are the same every time")
struct DeterministicSignatureTests {
    @Test("Another implementation verifies what any key signs")
    func verified() throws {
        var firsts: Set<[UInt8]> = []
        for number in 0..<50 {
            let key = TestKey(.p256, seed: "signatures", label: "\(number % 5)")
            let message = Array("message \(number)".utf8)
            let signature = try key.signature(over: message)
            let peer = try P256.Signing.PublicKey(x963Representation: key.publicPoint)
            let read = try P256.Signing.ECDSASignature(derRepresentation: signature.der)
            #expect(peer.isValidSignature(read, for: message))
            #expect(try key.signature(over: message) == signature)
            // The same r twice would mean the same nonce twice.
            #expect(firsts.insert(signature.r).inserted)
        }
    }

    @Test("P-384 as well, and on any thread")
    func threads() async throws {
        let key = TestKey(.p384, seed: "signatures", label: "threads")
        let message = Array("message".utf8)
        let peer = try P384.Signing.PublicKey(x963Representation: key.publicPoint)
        let signatures = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try key.signature(over: message, hash: .sha384) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let first = try #require(signatures.first)
        #expect(signatures.allSatisfy { $0 == first })
        #expect(peer.isValidSignature(try .init(derRepresentation: first.der), for: message))
    }
}
