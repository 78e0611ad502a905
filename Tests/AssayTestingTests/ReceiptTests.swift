import AssayCore
import AssayTestSupport
import AssayTesting
import Crypto
import Foundation
import Testing

@Suite("Minted receipts")
struct ReceiptTests {
    private func blueprint() throws -> ReceiptBlueprint {
        try ReceiptBlueprint(
            authority: Fixtures.authority(), appID: Fixtures.appID, certificate: [0x30, 0x00],
            clientDataHash: [UInt8](repeating: 0xFF, count: 32), environment: .development, createdAt: Fixtures.time,
            riskMetric: 3)
    }

    @Test("A refreshed receipt has the fields of Apple's, in their order")
    func refreshedFields() throws {
        let blueprint = try blueprint()
        #expect(blueprint.fields.map(\.type) == [17, 6, 2, 3, 4, 5, 7, 12, 19, 21])
        #expect(blueprint.fields.allSatisfy { $0.version == 1 })
        #expect(blueprint[7]?.value == Array("sandbox".utf8))
        #expect(blueprint[12]?.value == Array("2026-04-21T18:13:12.000Z".utf8))
        #expect(blueprint[19]?.value == Array("2026-04-22T18:13:12.000Z".utf8))
        #expect(blueprint[21]?.value == Array("2026-07-20T18:13:12.000Z".utf8))
        // What is no UTF-8 comes back as replacement characters.
        #expect(blueprint[4]?.value == [UInt8](repeatingSequence: [0xEF, 0xBF, 0xBD], count: 32))
    }

    @Test("Without signed attributes the signature is over the content, and with them over their set (RFC 5652, 5.4)")
    func signatures() throws {
        let authority = try Fixtures.authority()
        let key = try P256.Signing.PublicKey(x963Representation: authority.receiptSigner.key.publicPoint)
        for isOverContent in [true, false] {
            var blueprint = try blueprint()
            blueprint.encoding = .definite
            blueprint.signedAttributes = isOverContent ? .ignored(Fixtures.time) : .signed(Fixtures.time)
            // Read back by what is set apart: the last octets are the signature's.
            let content = DERBuilder.element(0x31, blueprint.fields.flatMap(\.encoded))
            let message = try blueprint.mint()
            let start = try #require(
                message.lastOccurrence(of: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02, 0x04]))
            let signature = try P256.Signing.ECDSASignature(derRepresentation: message[(start + 12)...])
            #expect(key.isValidSignature(signature, for: content) == isOverContent)
        }
    }

    @Test(
        "The indefinite form is Apple's chunk size, and the definite form has no chunks",
        arguments: [(ReceiptEncoding.indefinite(chunkSize: 1000), true), (.definite, false)])
    func encodings(encoding: ReceiptEncoding, isIndefinite: Bool) throws {
        var blueprint = try blueprint()
        blueprint[5] = ReceiptField(5, [UInt8](repeating: 0x41, count: 2500))
        blueprint.encoding = encoding
        let outline = BEROutline(try blueprint.mint(), showsLengths: true).lines
        #expect(outline.contains { $0.contains("indefinite") } == isIndefinite)
        #expect(outline.filter { $0.hasSuffix("4  1000") }.count == (isIndefinite ? 2 : 0))
    }
}

extension [UInt8] {
    /// A sequence of bytes, so many times.
    fileprivate init(repeatingSequence bytes: [UInt8], count: Int) {
        self = (0..<count).flatMap { _ in bytes }
    }

    /// Where the last occurrence of some bytes begins.
    fileprivate func lastOccurrence(of bytes: [UInt8]) -> Int? {
        (0...count - bytes.count).last { Array(self[$0..<$0 + bytes.count]) == bytes }
    }
}
