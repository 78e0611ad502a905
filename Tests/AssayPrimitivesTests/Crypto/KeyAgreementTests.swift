import AssayCore
import AssayPrimitives
import AssayTesting
import Testing

@Suite("Key agreement, and JWE with ECDH-ES")
struct KeyAgreementTests {
    private static func base64URL(_ text: String) throws -> [UInt8] { try Base64.decode(text, .url) }

    /// RFC 7518 appendix C: the keys of Alice, which is ephemeral, and of Bob.
    private enum Example {
        static let alice = "0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo"
        static let aliceX = "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0"
        static let aliceY = "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps"
        static let bob = "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"
        static let bobX = "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ"
        static let bobY = "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck"
        static let secret: [UInt8] = [
            158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163, 218, 128, 106,
            72, 246, 218, 167, 121, 140, 254, 144, 196,
        ]
        static let derived = "VqqN6vgjbSBcIijNcacQGg"
    }

    private static func key(_ text: String) throws -> AgreementPrivateKey {
        try AgreementPrivateKey(scalar: SecretBytes(base64URL(text)))
    }

    @Test("The example of RFC 7518 appendix C has its shared secret and its derived key")
    func standard() throws {
        let (alice, bob) = (try Self.key(Example.alice), try Self.key(Example.bob))
        #expect(try alice.publicPoint == [4] + Self.base64URL(Example.aliceX) + Self.base64URL(Example.aliceY))
        #expect(try bob.publicPoint == [4] + Self.base64URL(Example.bobX) + Self.base64URL(Example.bobY))
        for secret in [try alice.sharedSecret(with: bob.publicPoint), try bob.sharedSecret(with: alice.publicPoint)] {
            #expect(secret.withUnsafeBytes { Array($0) } == Example.secret)
            let derived = ConcatKDF.derive(
                secret, algorithm: "A128GCM", partyU: Array("Alice".utf8), partyV: Array("Bob".utf8), length: 16)
            #expect(try derived.withUnsafeBytes { Array($0) } == Self.base64URL(Example.derived))
        }
    }

    @Test("Another algorithm name, party or length gives another key")
    func inputs() throws {
        let secret = SecretBytes(Example.secret)
        func derive(_ algorithm: String = "A256GCM", _ partyU: String = "", _ partyV: String = "", _ length: Int = 32)
            -> [UInt8]
        {
            ConcatKDF.derive(
                secret, algorithm: algorithm, partyU: Array(partyU.utf8), partyV: Array(partyV.utf8), length: length
            ).withUnsafeBytes { Array($0) }
        }
        let keys = [
            derive(), derive("A256GCn"), derive("A256GCM", "a"), derive("A256GCM", "", "a"),
            derive("A256GCM", "ab", "c"),
            derive("A256GCM", "a", "bc"),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(derive().count == 32 && derive("A256GCM", "", "", 16).count == 16)
        #expect(Array(derive().prefix(16)) != derive("A256GCM", "", "", 16))
    }

    @Test("A scalar out of range, a point off the curve and other lengths are refused")
    func malformed() throws {
        let order = try Base64.decode("/////wAAAAD//////////7zm+q2nF56E87nKwvxjJVE=", .standard)
        for scalar in [[], [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 1, count: 31)] {
            #expect(throws: DecodeError.self) { try AgreementPrivateKey(scalar: SecretBytes(scalar)) }
        }
        let key = AgreementPrivateKey()
        let point = key.publicPoint
        for wrong in [
            [], Array(point.dropLast()), point + [0], [2] + point.dropFirst(), point.dropLast() + [point[64] ^ 1],
            [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 0, count: 64),
        ] {
            #expect(throws: DecodeError.self) { try key.sharedSecret(with: wrong) }
        }
        #expect(throws: DecodeError.self) { try AgreementPrivateKey(privateKeyInfo: SecretBytes(point)) }
    }

    @Test("A sealed text opens only with its key, and two seals of one text differ")
    func sealing() throws {
        let (own, other) = (AgreementPrivateKey(), AgreementPrivateKey())
        let plaintext = SecretBytes(Array("measurements".utf8))
        let sealed = try CompactJWE.seal(plaintext, for: own.publicPoint, type: "t")
        #expect(try sealed != CompactJWE.seal(plaintext, for: own.publicPoint, type: "t"))
        let jwe = try CompactJWE(Array(sealed.utf8), limit: 4096)
        #expect(jwe.header.algorithm == "ECDH-ES" && jwe.header.encryption == "A256GCM" && jwe.header.type == "t")
        #expect(jwe.encryptedKey.isEmpty)
        #expect(try JWEKey.ecdhES(own).decrypt(jwe) == Array("measurements".utf8))
        #expect { try JWEKey.ecdhES(other).decrypt(jwe) } throws: { ($0 as? JOSEError)?.reason == .decryptionFailed }
        #expect {
            try JWEKey.a256KW(SecretBytes([UInt8](repeating: 1, count: 32))).decrypt(jwe)
        } throws: {
            ($0 as? JOSEError)?.reason == .algorithmNotAllowed
        }
    }

    @Test("A header with another algorithm, another key or party information is refused before the key agreement")
    func headers() throws {
        let key = AgreementPrivateKey()
        let point = AgreementPrivateKey().publicPoint
        let (x, y) = (Base64.encode(point[1..<33], .url), Base64.encode(point[33...], .url))
        func epk(_ members: String) -> String { #""epk":{\#(members)}"# }
        let good = #""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#
        let algorithms = #""alg":"ECDH-ES","enc":"A256GCM","#
        let table: [(header: String, code: ErrorCode)] = [
            (#""alg":"ECDH-ES+A256KW","enc":"A256GCM","# + epk(good), .algorithmNotAllowed),
            (#""alg":"dir","enc":"A256GCM","# + epk(good), .algorithmNotAllowed),
            (#""alg":"ECDH-ES","enc":"A128GCM","# + epk(good), .algorithmNotAllowed),
            (String(algorithms.dropLast()), .badParameter), (algorithms + #""epk":"""#, .badParameter),
            (algorithms + epk(good) + #","apu":"""#, .badParameter),
            (algorithms + epk(good) + #","apv":"QQ""#, .badParameter),
            (algorithms + epk(good + #","d":"AA""#), .badParameter),
            (algorithms + epk(good + #","kid":"a""#), .badParameter),
            (algorithms + epk(good.replacing("P-256", with: "P-384")), .badParameter),
            (algorithms + epk(good.replacing("EC", with: "OKP")), .badParameter),
            (algorithms + epk(good.replacing(y, with: x)), .badParameter),
            (algorithms + epk(good.replacing(x, with: "\(x)=")), .badParameter),
            (algorithms + epk(good.replacing(x, with: "AA\(x)")), .badParameter),
            (algorithms + epk(good), .decryptionFailed),
        ]
        let (nonce, tag) = (
            Base64.encode([UInt8](repeating: 0, count: 12), .url), Base64.encode([UInt8](repeating: 0, count: 16), .url)
        )
        for (header, code) in table {
            let text = "\(Base64.encode(Array("{\(header)}".utf8), .url))..\(nonce).AAAA.\(tag)"
            let jwe = try CompactJWE(Array(text.utf8), limit: 4096)
            #expect { try JWEKey.ecdhES(key).decrypt(jwe) } throws: { ($0 as? JOSEError)?.reason == code }
        }
        let wrapped = "\(Base64.encode(Array("{\(algorithms)\(epk(good))}".utf8), .url)).AAAA.\(nonce).AAAA.\(tag)"
        let jwe = try CompactJWE(Array(wrapped.utf8), limit: 4096)
        #expect { try JWEKey.ecdhES(key).decrypt(jwe) } throws: { ($0 as? JOSEError)?.reason == .wrongLength }
    }
}
