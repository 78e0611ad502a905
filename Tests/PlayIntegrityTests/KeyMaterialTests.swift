import Assay
import AssayCore
import AssayPrimitives
import Crypto
import Foundation
import PlayIntegrity
import Testing

/// Keys are accepted as users paste them. Errors about other texts never quote them.
@Suite("Play Integrity keys")
struct KeyMaterialTests {
    private static let secret = Fixtures.keys.decryptionBytes
    private static let info = Fixtures.keys.verificationBytes
    private static let hex = secret.map { String(format: "%02x", $0) }.joined()

    private func read(_ decryption: [UInt8], _ verification: [UInt8]) throws(KeyError) -> PlayIntegrityKeys {
        try PlayIntegrityKeys.reading([
            "decryptionKey": SecretBytes(decryption), "verificationKey": SecretBytes(verification),
        ])
    }

    private func opens(_ material: PlayIntegrityKeys) async throws -> Bool {
        let key = NamedKey(name: "k", scope: Fixtures.packageName, material: material)
        return try await Fixtures.verifier(keys: [key]).verify(
            Fixtures.classic(), at: Fixtures.now
        ).outcome == .accept
    }

    @Test(
        "A decryption key is base64 in either alphabet or hexadecimal, with surrounding white space and quotes",
        arguments: [
            Base64.encode(secret, .standard), Base64.encode(secret, .url), hex, hex.uppercased(),
            Base64.encode(secret, .url) + "=", Base64.encode(secret, .standard) + "\n",
            " \t\"\(Base64.encode(secret, .standard))\"\r\n", "'\(hex)'", "\n\n\" \(hex) \"",
        ])
    func decryptionForms(text: String) async throws {
        #expect(try await opens(read(Array(text.utf8), Array(Base64.encode(Self.info, .standard).utf8))))
    }

    @Test(
        "A verification key is base64 of its SubjectPublicKeyInfo, also wrapped, or its PEM",
        arguments: [
            Base64.encode(info, .standard), Base64.encode(info, .url), "\"\(Base64.encode(info, .standard))\"\n",
            Fixtures.keys.signingKey.publicKey.pemRepresentation,
            Fixtures.keys.signingKey.publicKey.pemRepresentation.replacing("\n", with: "\r\n") + "\r\n",
            Data(info).base64EncodedString(options: [.lineLength64Characters]),
        ])
    func verificationForms(text: String) async throws {
        #expect(try await opens(read(Array(Base64.encode(Self.secret, .standard).utf8), Array(text.utf8))))
    }

    @Test("An invalid decryption key is reported by kind and length, and never shown")
    func decryptionErrors() throws {
        let pem = Fixtures.keys.signingKey.pemRepresentation
        let cases: [([UInt8], String, String)] = [
            ([], "empty", "nothing"), (Array(" \n\"\"".utf8), "empty", "nothing"),
            (Array(Self.hex.dropLast(2).utf8), "wrong-length", "62 hexadecimal digits"),
            (Array(Self.hex.prefix(32).utf8), "wrong-length", "AES-128"),
            (Array(Base64.encode(Array(Self.secret.prefix(16)), .standard).utf8), "wrong-length", "AES-128"),
            (Array(Base64.encode(Self.secret + [0], .standard).utf8), "wrong-length", "base64 of 33 bytes"),
            (Array(Base64.encode(Self.info, .standard).utf8), "swapped", "base64 of 91 bytes"),
            (Array(Fixtures.keys.signingKey.publicKey.pemRepresentation.utf8), "swapped", "PEM block PUBLIC KEY"),
            (Array(pem.utf8), "pem", "PRIVATE KEY"), (Self.secret.map { $0 | 0x80 }, "not-text", "32 bytes"),
            (Array("not a key at all, sorry".utf8), "not-text", "23 characters"),
            (Array(("DECRYPTION_KEY=" + Base64.encode(Self.secret, .standard)).utf8), "not-text", "characters"),
            (Array((Base64.encode(Self.secret, .standard) + "=").utf8), "not-text", "characters"),
            (
                // For every key, the last character has bits that belong to no byte.
                Array(Base64.encode(Self.secret, .standard).dropLast(3).utf8) + Array("B==".utf8), "not-text",
                "characters"
            ),
        ]
        for (bytes, code, found) in cases {
            let error = #expect(throws: KeyError.self) {
                try read(bytes, Array(Base64.encode(Self.info, .standard).utf8))
            }
            #expect(error?.part == "decryptionKey")
            #expect(error?.code == code, "\(error?.message ?? "")")
            #expect(error?.message.contains(found) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("32 bytes") == true)
            for length in [8, 12] where bytes.count > 20 {
                let start = String(decoding: bytes.dropFirst(16).prefix(length), as: UTF8.self)
                #expect(error?.message.contains(start) == false)
            }
        }
    }

    @Test("An invalid verification key is reported by kind and length, and never shown")
    func verificationErrors() throws {
        let p384 = P384.Signing.PrivateKey()
        let key = Fixtures.keys.signingKey
        let point = Array(key.publicKey.x963Representation)
        func base64(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(Base64.encode(Array(bytes), .standard).utf8) }
        let cases: [([UInt8], String, String)] = [
            ([], "empty", "nothing"), (Array("''".utf8), "empty", "nothing"),
            (base64(Self.secret), "swapped", "32 bytes"), (Array(Self.hex.utf8), "swapped", "64 hexadecimal digits"),
            (base64(point), "bare-point", "65 bytes"),
            (base64(p384.publicKey.derRepresentation), "wrong-curve", "p384"),
            (Array(p384.publicKey.pemRepresentation.utf8), "wrong-curve", "p384"),
            (base64(key.derRepresentation), "private-key", "private key"),
            (Array(key.pemRepresentation.utf8), "private-key", "PRIVATE KEY"),
            (Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----".utf8), "pem", "CERTIFICATE"),
            (Array(key.publicKey.pemRepresentation.dropLast(5).utf8), "pem", "without its end"),
            (Self.info, "not-text", "91 bytes"), (Array("hello, key".utf8), "not-base64", "characters"),
            (base64(Self.info.dropLast()), "wrong-key", "90 bytes"), (base64(Self.info + [0]), "wrong-key", "92 bytes"),
            (base64(Self.info.dropLast() + [Self.info[90] ^ 1]), "wrong-key", "not on"),
            (Array(Self.info.map { String(format: "%02x", $0) }.joined().utf8), "hexadecimal", "182"),
        ]
        for (bytes, code, found) in cases {
            let error = #expect(throws: KeyError.self) { try read(base64(Self.secret), bytes) }
            #expect(error?.part == "verificationKey")
            #expect(error?.code == code, "\(error?.message ?? "")")
            #expect(error?.message.contains(found) == true, "\(error?.message ?? "")")
        }
    }

    @Test("A part that is missing or unknown is named")
    func parts() throws {
        let missing = #expect(throws: KeyError.self) { try PlayIntegrityKeys.reading([:]) }
        #expect(missing?.code == "missing-part")
        let unknown = #expect(throws: KeyError.self) {
            try PlayIntegrityKeys.reading(["secret": SecretBytes([1])])
        }
        #expect(unknown?.code == "unknown-part")
        #expect(PlayIntegrityKeys.parts.map(\.isSecret) == [true, false])
        #expect(try Fixtures.material().algorithm == "A256KW, A256GCM, ES256")
    }
}
