import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Master keys")
struct MasterKeyTests {
    private static let bytes = [UInt8](0..<32)

    @Test("Every allowed text form of a master key gives the same key")
    func forms() async throws {
        let hex = Self.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let base64 = SealedKeyFixture.masterText
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        for text in [
            base64, base64 + "\n", " \t\(base64)\r\n", String(base64.dropLast()), "\"\(base64)\"", "'\(base64)'\n", hex,
            hex.uppercased() + "\n",
        ] {
            #expect(try await SealedKeyFixture.store(on: fixture.ledger, masterKey: text).outage() == nil, "\(text)")
        }
    }

    @Test(
        "An invalid master key is refused with the command that creates one, and not shown",
        arguments: [
            "", "\n", "\"\"", "AAECAwQFBgcICQoLDA0ODw==", SealedKeyFixture.masterText + "A",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8==",
            "000102030405060708090a0b0c0d0e0f", "correct horse battery staple", "-----BEGIN PRIVATE KEY-----\nAAAA\n",
            "AAECAwQFBgcICQoLDA0O\nDxAREhMUFRYXGBkaGxwdHh8=",
        ])
    func refused(text: String) throws {
        let error = #expect(throws: KeyError.self) { try MasterKey(text: SecretBytes(Array(text.utf8))) }
        let message = try #require(error).description
        #expect(message.contains(MasterKey.recipe) && message.contains("expected a master key"))
        for word in text.split(whereSeparator: \.isWhitespace) where word.count > 8 && !word.hasPrefix("-----") {
            #expect(!message.contains(word.prefix(9)))
        }
    }

    @Test("Neither the description nor a dump of a master key shows its bytes")
    func hidden() throws {
        let key = try SealedKeyFixture.masterKey()
        var dumped = ""
        dump(key, to: &dumped)
        for text in [dumped, "\(key)", String(reflecting: key)] {
            #expect(text.contains("32 secret bytes") || !text.contains("31"), "\(text)")
            #expect(!text.contains(SealedKeyFixture.masterText))
        }
    }
}
