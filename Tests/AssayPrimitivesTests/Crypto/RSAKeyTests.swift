import AssayCore
import AssayPrimitives
import Foundation
import Testing

/// RSA keys as users make them: with the OpenSSL tool.
@Suite("RSA keys", .enabled(if: OpenSSLTool.isAvailable, "the openssl command is not there")) struct RSAKeyTests {
    private static let message = Array("header.claims".utf8)

    private static func error(_ pem: [UInt8], passphrase: String? = nil) -> RSAPrivateKeyError? {
        do {
            _ = try RSAPrivateKey(pem: SecretBytes(pem), passphrase: passphrase.map { SecretBytes($0.utf8) })
            return nil
        } catch {
            return error
        }
    }

    @Test("Every form of the same key is read, encrypted ones with their passphrase")
    func forms() throws {
        let tool = try OpenSSLTool()
        let plain = try tool.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", to: "key.pem")
        let info = try tool.run("pkey -in key.pem -pubout -outform DER", to: "public.der")
        let encrypted = "-aes128 -passout pass:open-sesame"
        let forms: [(String, [UInt8], String?)] = [
            ("PKCS#8", plain, nil),
            ("PKCS#8 with a passphrase for nothing", plain, "unused"),
            ("PKCS#8 with text around", Array("Key of play\n".utf8) + plain + Array("\nnothing more\n".utf8), nil),
            ("PKCS#8 with CRLF", plain.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }, nil),
            ("PKCS#1", try tool.run("rsa -in key.pem -traditional", to: "1.pem"), nil),
            (
                "PKCS#8, encrypted",
                try tool.run("pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -passout pass:open-sesame", to: "2.pem"),
                "open-sesame"
            ),
            ("PKCS#8, as genrsa encrypts", try tool.run("rsa -in key.pem \(encrypted)", to: "3.pem"), "open-sesame"),
            (
                "PKCS#1, encrypted", try tool.run("rsa -in key.pem -traditional \(encrypted)", to: "4.pem"),
                "open-sesame"
            ),
        ]
        for (name, pem, passphrase) in forms {
            let key = try RSAPrivateKey(pem: SecretBytes(pem), passphrase: passphrase.map { SecretBytes($0.utf8) })
            #expect(key.publicKey.subjectPublicKeyInfo == info, "\(name)")
            guard passphrase == "open-sesame" else { continue }
            #expect(Self.error(pem) == .passphraseMissing, "\(name)")
            for wrong in ["", "open", "open-sesame\n", String(repeating: "x", count: 5000)] {
                #expect(Self.error(pem, passphrase: wrong) == .passphraseWrong, "\(name)")
            }
        }
    }

    @Test("Unusable RSA private keys are refused with a reason")
    func refuses() throws {
        let tool = try OpenSSLTool()
        let key = try tool.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", to: "key.pem")
        let ec = try tool.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", to: "ec.pem")
        let body = String(decoding: key, as: UTF8.self)
        let cases: [(String, [UInt8], RSAPrivateKeyError)] = [
            ("nothing", [], .notPEM),
            ("DER", try tool.run("pkey -in key.pem -outform DER", to: "key.der"), .notPEM),
            ("a JSON file", Array(#"{"private_key":"x"}"#.utf8), .notPEM),
            ("two keys", key + key, .severalBlocks),
            ("a public key", try tool.run("pkey -in key.pem -pubout", to: "public.pem"), .notPrivateKey),
            ("an EC key", ec, .notRSA),
            ("an EC key in its own form", try tool.run("ec -in ec.pem", to: "ec1.pem"), .notRSA),
            (
                "a PSS key", try tool.run("genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048", to: "pss.pem"),
                .notRSA
            ),
            (
                "1024 bits", try tool.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", to: "short.pem"),
                .tooShort(bits: 1024)
            ),
            ("cut off", Array(key.prefix(600)), .malformed),
            ("no body", Array("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n".utf8), .malformed),
            ("another body", Array(body.replacing("MII", with: "MIJ").utf8), .malformed),
        ]
        for (name, pem, expected) in cases { #expect(Self.error(pem) == expected, "\(name)") }
    }

    @Test("Signatures equal those of OpenSSL, and verify only for their message")
    func signs() throws {
        let tool = try OpenSSLTool()
        let pem = try tool.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072", to: "key.pem")
        let key = try RSAPrivateKey(pem: SecretBytes(pem))
        try tool.write(Self.message, to: "message")
        let expected = try tool.run("dgst -sha256 -sign key.pem message", to: "signature")
        #expect(try key.sign(Self.message[...]) == expected)
        #expect(try key.sign(Self.message[..<3], Self.message[3...]) == expected)
        #expect(key.publicKey.modulusLength == 384)
        #expect(key.publicKey.verifyPKCS1SHA256(expected, for: Self.message[..<5], Self.message[5...]))
        #expect(!key.publicKey.verifyPKCS1SHA256(expected, for: Self.message[1...]))
        #expect(!key.publicKey.verifyPKCS1SHA256([], for: Self.message[...]))
        #expect(!key.publicKey.verifyPKCS1SHA256([0] + expected, for: Self.message[...]))
        for index in stride(from: 0, to: expected.count, by: 7) {
            var changed = expected
            changed[index] ^= 0x10
            #expect(!key.publicKey.verifyPKCS1SHA256(changed, for: Self.message[...]))
        }
        let header = TokenFixture.url(#"{"alg":"RS256"}"#)
        let input = Array((header + "." + TokenFixture.url("{}")).utf8)
        let token = input + Array(".".utf8) + Array(TokenFixture.url(try key.sign(input[...])).utf8)
        let jws = try CompactJWS(token, limit: InputLimits.joseText)
        try JWSKey.rs256(key.publicKey).verify(jws)
        let hmac = try JWSKey.hs256(SecretBytes(key.publicKey.subjectPublicKeyInfo))
        #expect(joseError { try hmac.verify(jws) }?.reason == .algorithmNotAllowed)
        let short = TokenFixture.compact([header, TokenFixture.url("{}"), TokenFixture.url([UInt8](0..<64))])
        let code = joseError { try JWSKey.rs256(key.publicKey).verify(CompactJWS(short, limit: 1 << 16)) }?.reason
        #expect(code == .wrongLength)
    }

    @Test("Concurrent tasks can sign and verify with the same key")
    func concurrency() async throws {
        let pem = try OpenSSLTool().run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", to: "key.pem")
        let key = try RSAPrivateKey(pem: SecretBytes(pem))
        await withTaskGroup(of: Int.self) { group in
            for task in UInt8(0)..<8 {
                group.addTask {
                    var right = 0
                    for round in UInt8(0)..<20 {
                        guard let signature = try? key.sign([task, round]) else { continue }
                        if key.publicKey.verifyPKCS1SHA256(signature, for: [task], [round]),
                            !key.publicKey.verifyPKCS1SHA256(signature, for: [task, round, 0])
                        {
                            right += 1
                        }
                    }
                    return right
                }
            }
            for await right in group { #expect(right == 20) }
        }
    }

    @Test("A public key is read from its canonical encoding, and from its numbers")
    func publicKeys() throws {
        let tool = try OpenSSLTool()
        _ = try tool.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", to: "key.pem")
        let info = try tool.run("pkey -in key.pem -pubout -outform DER", to: "public.der")
        #expect(try RSAPublicKey(subjectPublicKeyInfo: info[...]).subjectPublicKeyInfo == info)
        // 24 bytes of algorithm and bit string, 9 bytes before the modulus, and 5 bytes of the exponent at the end.
        let modulus = Array(info[33..<289])
        #expect(try RSAPublicKey(modulus: modulus, exponent: [1, 0, 1]).subjectPublicKeyInfo == info)
        #expect(throws: DecodeError.self) { try RSAPublicKey(modulus: [0] + modulus, exponent: [1, 0, 1]) }
        #expect(throws: DecodeError.self) { try RSAPublicKey(modulus: modulus, exponent: [0, 1, 0, 1]) }
        #expect(throws: DecodeError.self) { try RSAPublicKey(modulus: modulus, exponent: [1, 0, 0]) }
        #expect(throws: DecodeError.self) { try RSAPublicKey(modulus: modulus, exponent: []) }
        #expect(throws: DecodeError.self) { try RSAPublicKey(modulus: Array(modulus[..<255]), exponent: [3]) }
        #expect(throws: DecodeError.self) { try RSAPublicKey(subjectPublicKeyInfo: (info + [0])[...]) }
        #expect(throws: DecodeError.self) { try RSAPublicKey(subjectPublicKeyInfo: info.dropLast()) }
        #expect(throws: DecodeError.self) { try RSAPublicKey(subjectPublicKeyInfo: []) }
        let ec = try TokenFixture.verificationKey().subjectPublicKeyInfo
        #expect(throws: DecodeError.self) { try RSAPublicKey(subjectPublicKeyInfo: ec[...]) }
    }

    @Test(
        "A public key whose algorithm has no parameters is the same key, in the encoding with NULL (RFC 4055 section 5)"
    )
    func absentParameters() throws {
        let tool = try OpenSSLTool()
        let pem = try tool.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", to: "key.pem")
        let info = try tool.run("pkey -in key.pem -pubout -outform DER", to: "public.der")
        let signature = try RSAPrivateKey(pem: SecretBytes(pem)).sign(Self.message[...])
        // 24 bytes of lengths, algorithm and the length of the BIT STRING: the rest is the key.
        let bits = Array(info[19...])
        let rsaEncryption = DER.oid(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 1))
        #expect(DER.sequence(DER.sequence(rsaEncryption, [5, 0]), bits) == info)
        let without = DER.sequence(DER.sequence(rsaEncryption), bits)
        let key = try RSAPublicKey(subjectPublicKeyInfo: without[...])
        #expect(key.subjectPublicKeyInfo == info)
        #expect(key.verifyPKCS1SHA256(signature, for: Self.message[...]))
        #expect(Array(RSAPublicKey.canonical(without[...])) == info)
        #expect(Array(RSAPublicKey.canonical(info[...])) == info)
        for (name, other) in [
            ("an OCTET STRING", DER.sequence(DER.sequence(rsaEncryption, [4, 0]), bits)),
            ("NULL twice", DER.sequence(DER.sequence(rsaEncryption, [5, 0, 5, 0]), bits)),
            ("a byte behind the key", DER.sequence(DER.sequence(rsaEncryption), bits) + [0]),
            (
                "RSASSA-PSS", DER.sequence(DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 113549, 1, 1, 10))), bits)
            ),
        ] {
            #expect(throws: DecodeError.self, "\(name)") { try RSAPublicKey(subjectPublicKeyInfo: other[...]) }
            #expect(Array(RSAPublicKey.canonical(other[...])) == other, "\(name)")
        }
    }

    @Test("Only OAEP with SHA-1, as OpenSSL encrypts it, is decrypted")
    func decrypts() throws {
        let tool = try OpenSSLTool()
        let pem = try tool.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", to: "key.pem")
        let key = try RSAPrivateKey(pem: SecretBytes(pem))
        let keys = Array("DECRYPTION_KEY=abc\nVERIFICATION_KEY=def\n".utf8)
        try tool.write(keys, to: "keys")
        let command = "pkeyutl -encrypt -inkey key.pem -in keys -pkeyopt rsa_padding_mode:"
        let encrypted = try tool.run(command + "oaep", to: "keys.enc")
        #expect(key.decryptOAEP(encrypted).map { $0.withUnsafeBytes { Array($0) } } == keys)
        #expect(key.decryptOAEP(try tool.run(command + "oaep -pkeyopt rsa_oaep_md:sha256", to: "2.enc")) == nil)
        #expect(key.decryptOAEP(try tool.run(command + "pkcs1", to: "3.enc")) == nil)
        #expect(key.decryptOAEP(Array(encrypted.dropLast())) == nil)
        #expect(key.decryptOAEP(encrypted + [0]) == nil)
        #expect(key.decryptOAEP([UInt8](repeating: 0xFF, count: 256)) == nil)
        for index in stride(from: 0, to: encrypted.count, by: 31) {
            var changed = encrypted
            changed[index] ^= 1
            #expect(key.decryptOAEP(changed) == nil)
        }
        try tool.write([], to: "keys")
        #expect(key.decryptOAEP(try tool.run(command + "oaep", to: "4.enc"))?.count == 0)
    }
}
