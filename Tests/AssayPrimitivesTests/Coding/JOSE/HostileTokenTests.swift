import AssayCore
import AssayPrimitives
import AssayTestSupport
import Crypto
import Foundation
import Testing

/// Forged and malformed tokens.
@Suite("Hostile JWS and JWE") struct HostileTokenTests {
    /// A token, and the code of its expected error.
    struct Hostile: Sendable {
        let name: String
        let text: [UInt8]
        let code: String

        init(_ name: String, _ text: String, _ code: String) {
            self.name = name
            self.text = Array(text.utf8)
            self.code = code
        }

        init(_ name: String, _ parts: [String], _ code: String) {
            self.init(name, parts.joined(separator: "."), code)
        }
    }

    private static func code(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "accepted"
        } catch {
            return (error as? any CheckFinding)?.code ?? "\(error)"
        }
    }

    private static func replacing(_ parts: [String], _ index: Int, _ text: String) -> [String] {
        var parts = parts
        parts[index] = text
        return parts
    }

    /// Header parameters that both forms refuse, with the code.
    private static let headers: [(String, String, String)] = [
        ("an extension", #"{"alg":"$","enc":"A256GCM","crit":["x"],"x":1}"#, "unexpected"),
        ("no extension", #"{"alg":"$","enc":"A256GCM","crit":[]}"#, "unexpected"),
        ("compression", #"{"alg":"$","enc":"A256GCM","zip":"DEF"}"#, "unexpected"),
        ("an unencoded payload", #"{"alg":"$","enc":"A256GCM","b64":false}"#, "unexpected"),
        ("a name twice", #"{"alg":"$","alg":"$","enc":"A256GCM"}"#, "duplicate-key"),
        ("a name twice, once escaped", #"{"alg":"$","\u0061lg":"none","enc":"A256GCM"}"#, "duplicate-key"),
        ("no algorithm", #"{"enc":"A256GCM"}"#, "missing"),
        ("algorithm in capitals", #"{"ALG":"$","enc":"A256GCM"}"#, "missing"),
        ("an algorithm that is no text", #"{"alg":["$"],"enc":"A256GCM"}"#, "unexpected-type"),
        ("no algorithm but null", #"{"alg":null,"enc":"A256GCM"}"#, "unexpected-type"),
        ("a key ID that is no text", #"{"alg":"$","enc":"A256GCM","kid":7}"#, "unexpected-type"),
        ("a type that is no text", #"{"alg":"$","enc":"A256GCM","typ":{}}"#, "unexpected-type"),
        ("an encryption that is no text", #"{"alg":"$","enc":1}"#, "unexpected-type"),
        ("an array", #"["$"]"#, "unexpected-type"),
        ("a trailing comma", #"{"alg":"$","enc":"A256GCM",}"#, "malformed"),
        ("two objects", #"{"alg":"$","enc":"A256GCM"}{}"#, "trailing-bytes"),
        ("a byte order mark", "\u{FEFF}" + #"{"alg":"$","enc":"A256GCM"}"#, "malformed"),
        ("nothing", "", "truncated"),
        ("deep nesting", #"{"alg":"$","x":"# + String(repeating: "[", count: 5000), "too-deep"),
        ("too much", #"{"alg":"$","x":""# + String(repeating: "x", count: 20_000) + "\"}", "too-large"),
        ("the name in other letters", #"{"alg":"$ "}"#, "algorithm-not-allowed"),
    ]

    @Test("A JWS that does not match the key is refused with its own reason")
    func jws() throws {
        let good = try TokenFixture.signed(#"{"a":1}"#)
        let signature = try Base64.decode(good[2], .url)
        let point = try TokenFixture.verificationKey().x963Representation
        let spki = try TokenFixture.verificationKey().subjectPublicKeyInfo
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(spki, .standard))\n-----END PUBLIC KEY-----\n"
        let order = try #require([UInt8](hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        let zero = [UInt8](repeating: 0, count: 32)
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let der = try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation
        var cases = [
            Hostile("HS256 over the payload", TokenFixture.authenticated(#"{"a":1}"#), "algorithm-not-allowed"),
            Hostile("two parts", Array(good[..<2]), "malformed"),
            Hostile("four parts", good + [""], "malformed"),
            Hostile("a JWE", try TokenFixture.encrypted(Array("{}".utf8)), "malformed"),
            Hostile("JSON", #"{"payload":"e30","protected":"e30","signature":"AA"}"#, "malformed"),
            Hostile("plain payload", #"{"requestDetails":{"requestHash":"a.b.c"}}"#, "invalid-text"),
            Hostile("nothing", "", "malformed"),
            Hostile("dots", "..", "truncated"),
            Hostile("DER", Self.replacing(good, 2, TokenFixture.url(der)), "wrong-length"),
            Hostile("63 bytes", Self.replacing(good, 2, TokenFixture.url(signature.dropLast())), "wrong-length"),
            Hostile("65 bytes", Self.replacing(good, 2, TokenFixture.url(signature + [0])), "wrong-length"),
            Hostile("no signature", Self.replacing(good, 2, ""), "wrong-length"),
            Hostile("another payload", Self.replacing(good, 1, TokenFixture.url(#"{"a":2}"#)), "signature-invalid"),
            Hostile(
                "another header", Self.replacing(good, 0, TokenFixture.url(#"{"alg":"ES256" }"#)), "signature-invalid"),
            Hostile("padding", Self.replacing(good, 2, good[2] + "=="), "invalid-text"),
            Hostile("white space before", " " + good.joined(separator: "."), "invalid-text"),
            Hostile("a line break after", good.joined(separator: ".") + "\n", "invalid-text"),
            Hostile("a line break within", Self.replacing(good, 1, "eyJh\nIjoxfQ"), "invalid-text"),
            Hostile("spare bits", Self.replacing(good, 1, "eyJhIjoxfR"), "not-minimal"),
            Hostile("the standard alphabet", Self.replacing(good, 1, "+/+/"), "invalid-text"),
            Hostile("too much", Self.replacing(good, 1, String(repeating: "A", count: 1 << 16)), "too-large"),
        ]
        for (name, numbers) in [
            ("r is zero", zero + s), ("s is zero", r + zero), ("both are zero", zero + zero), ("r is n", order + s),
            ("s is n", r + order), ("r and s changed places", s + r), ("all ones", [UInt8](repeating: 0xFF, count: 64)),
        ] {
            cases.append(Hostile(name, Self.replacing(good, 2, TokenFixture.url(numbers)), "signature-invalid"))
        }
        for algorithm in [
            "none", "None", "NONE", "nOnE", "", "dir", "HS256", "RS256", "PS256", "ES384", "ES256K", "es256", "EdDSA",
            "A256KW", "ES256\u{0}", "\u{45}\u{301}S256",
        ] {
            let header = TokenFixture.url("{\"alg\":\"\(algorithm == "ES256\u{0}" ? "ES256\\u0000" : algorithm)\"}")
            cases.append(Hostile(algorithm, [header, good[1], ""], "algorithm-not-allowed"))
        }
        for secret in [spki, Array(pem.utf8), Array(pem.utf8.dropLast()), point, Array(point[1...])] {
            let input = TokenFixture.url(#"{"alg":"HS256"}"#) + "." + good[1]
            let tag = AssayPrimitives.HMAC.sha256(key: secret, Array(input.utf8))
            cases.append(
                Hostile("keyed with the public key", input + "." + TokenFixture.url(tag), "algorithm-not-allowed"))
        }
        for (name, header, code) in Self.headers {
            let text = TokenFixture.url(header.replacing("$", with: "ES256"))
            cases.append(Hostile("a header with \(name)", [text, good[1], good[2]], code))
        }
        let key = try JWSKey.es256(TokenFixture.verificationKey())
        for test in cases {
            let code = Self.code { try key.verify(CompactJWS(test.text, limit: InputLimits.joseText)) }
            #expect(code == test.code, "\(test.name)")
        }
        #expect(Self.code { try key.verify(CompactJWS(TokenFixture.compact(good), limit: 1 << 16)) } == "accepted")
        #expect(Self.code { _ = try CompactJWS(TokenFixture.compact(good), limit: 20) } == "too-large")
    }

    @Test("A key or certificate in a header is ignored")
    func embeddedKeys() throws {
        let attacker = P256.Signing.PrivateKey()
        let point = attacker.publicKey.rawRepresentation
        let header = """
            {"alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"\(TokenFixture.url(point.prefix(32)))",\
            "y":"\(TokenFixture.url(point.suffix(32)))"},"jku":"https://attacker.example/keys","x5u":"file:///dev/zero",\
            "x5c":["AAAA"],"kid":"../../dev/null"}
            """
        let key = try JWSKey.es256(TokenFixture.verificationKey())
        let input = TokenFixture.url(header) + "." + TokenFixture.url("{}")
        let forged = try attacker.signature(for: Array(input.utf8)).rawRepresentation
        let text = Array((input + "." + TokenFixture.url(forged)).utf8)
        #expect(Self.code { try key.verify(CompactJWS(text, limit: 1 << 16)) } == "signature-invalid")
        let genuine = TokenFixture.compact(try TokenFixture.signed("{}", header: header))
        #expect(Self.code { try key.verify(CompactJWS(genuine, limit: 1 << 16)) } == "accepted")
    }

    @Test("Either value of s is a valid signature")
    func eitherS() throws {
        let good = try TokenFixture.signed("{}")
        let signature = try Base64.decode(good[2], .url)
        let order = try #require([UInt8](hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        var other = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            other[index] = UInt8(difference & 0xFF)
        }
        let text = TokenFixture.compact(Self.replacing(good, 2, TokenFixture.url(signature[..<32] + other)))
        try JWSKey.es256(TokenFixture.verificationKey()).verify(CompactJWS(text, limit: 1 << 16))
    }

    @Test("A JWE that does not match the key is refused with its own reason")
    func jwe() throws {
        let plaintext = Array("{}".utf8)
        let good = try TokenFixture.encrypted(plaintext)
        func bytes(_ count: Int) -> String { TokenFixture.url([UInt8](repeating: 7, count: count)) }
        var cases = [
            Hostile("a bare JWS", try TokenFixture.signed("{}"), "malformed"),
            Hostile("four parts", Array(good[..<4]), "malformed"),
            Hostile("six parts", good + [""], "malformed"),
            Hostile("plain JSON", #"{"ciphertext":"AA","protected":"e30"}"#, "malformed"),
            Hostile("nothing", "", "malformed"),
            Hostile("another wrapped key", Self.replacing(good, 1, bytes(40)), "key-unwrap-failed"),
            Hostile("another ciphertext", Self.replacing(good, 3, bytes(2)), "decryption-failed"),
            Hostile("no ciphertext", Self.replacing(good, 3, ""), "decryption-failed"),
            Hostile("another tag", Self.replacing(good, 4, bytes(16)), "decryption-failed"),
            Hostile("another nonce", Self.replacing(good, 2, bytes(12)), "decryption-failed"),
            Hostile(
                "another header", Self.replacing(good, 0, TokenFixture.url(#"{"enc":"A256GCM","alg":"A256KW"}"#)),
                "decryption-failed"),
            Hostile("padding", Self.replacing(good, 1, good[1] + "=="), "invalid-text"),
            Hostile("white space", " " + good.joined(separator: "."), "invalid-text"),
            Hostile("a line break after", good.joined(separator: ".") + "\r\n", "invalid-text"),
            Hostile("spare bits", Self.replacing(good, 3, "AAB"), "not-minimal"),
            Hostile("half a byte", Self.replacing(good, 3, "AAAAA"), "unexpected-length"),
            Hostile("the standard alphabet", Self.replacing(good, 3, "+/+/"), "invalid-text"),
            Hostile("too much", Self.replacing(good, 3, String(repeating: "A", count: 1 << 16)), "too-large"),
            Hostile("no enc", Self.replacing(good, 0, TokenFixture.url(#"{"alg":"A256KW"}"#)), "missing"),
        ]
        for count in [0, 8, 16, 24, 32, 39, 41, 48, 72] {
            cases.append(Hostile("\(count) wrapped bytes", Self.replacing(good, 1, bytes(count)), "wrong-length"))
        }
        for count in [0, 11, 13, 16] {
            cases.append(Hostile("\(count) bytes of nonce", Self.replacing(good, 2, bytes(count)), "wrong-length"))
        }
        for count in [0, 4, 12, 15, 17, 32] {
            cases.append(Hostile("\(count) bytes of tag", Self.replacing(good, 4, bytes(count)), "wrong-length"))
        }
        for size in [16, 24, 64] {
            let wrapped = try AES.KeyWrap.wrap(
                SymmetricKey(data: [UInt8](repeating: 1, count: size)), using: SymmetricKey(data: TokenFixture.secret))
            cases.append(
                Hostile("a content key of \(size)", Self.replacing(good, 1, TokenFixture.url(wrapped)), "wrong-length"))
        }
        for algorithm in [
            "none", "None", "NONE", "nOnE", "dir", "A128KW", "A192KW", "A256GCMKW", "RSA1_5", "RSA-OAEP", "ECDH-ES",
            "PBES2-HS256+A128KW", "a256kw", "",
        ] {
            let header = TokenFixture.url("{\"alg\":\"\(algorithm)\",\"enc\":\"A256GCM\"}")
            cases.append(Hostile(algorithm, Self.replacing(good, 0, header), "algorithm-not-allowed"))
        }
        for encryption in ["A128GCM", "A192GCM", "A256CBC-HS512", "none", "a256gcm", ""] {
            let header = TokenFixture.url("{\"alg\":\"A256KW\",\"enc\":\"\(encryption)\"}")
            cases.append(Hostile(encryption, Self.replacing(good, 0, header), "algorithm-not-allowed"))
        }
        for (name, header, code) in Self.headers {
            let text = TokenFixture.url(header.replacing("$", with: "A256KW"))
            let isMissing = code == "algorithm-not-allowed"
            cases.append(
                Hostile("a header with \(name)", Self.replacing(good, 0, text), isMissing ? "missing" : code))
        }
        let key = try JWEKey.a256KW(TokenFixture.wrappingKey)
        for test in cases {
            let code = Self.code { _ = try key.decrypt(CompactJWE(test.text, limit: InputLimits.joseText)) }
            #expect(code == test.code, "\(test.name)")
        }
        #expect(try key.decrypt(CompactJWE(TokenFixture.compact(good), limit: 1 << 16)) == plaintext)
        let other = try JWEKey.a256KW(SecretBytes(TokenFixture.secret.reversed()))
        #expect(
            Self.code { _ = try other.decrypt(CompactJWE(TokenFixture.compact(good), limit: 1 << 16)) }
                == "key-unwrap-failed")
    }

    @Test("A JWE of A256GCMKW has a nonce and a tag for its key, each of a fixed length")
    func gcmKeyWrap() throws {
        let good = try TokenFixture.gcmEncrypted([1, 2, 3])
        let key = try JWEKey.a256GCMKW(TokenFixture.wrappingKey)
        #expect(key.algorithm == "A256GCMKW")
        #expect(try key.decrypt(CompactJWE(TokenFixture.compact(good), limit: 1 << 16)) == [1, 2, 3])
        let (nonce, tag) = (TokenFixture.url([UInt8](0..<12)), TokenFixture.url([UInt8](0..<16)))
        let cases: [(String, String)] = [
            ("\"iv\":\"\(nonce)\"", "bad-parameter"), ("\"tag\":\"\(tag)\"", "bad-parameter"),
            ("\"iv\":12,\"tag\":\"\(tag)\"", "bad-parameter"),
            ("\"iv\":\"\(nonce)=\",\"tag\":\"\(tag)\"", "bad-parameter"),
            ("\"iv\":\"\(nonce)AAAA\",\"tag\":\"\(tag)\"", "wrong-length"),
            ("\"iv\":\"\",\"tag\":\"\(tag)\"", "wrong-length"),
            ("\"iv\":\"\(nonce)\",\"tag\":\"\(nonce)\"", "wrong-length"),
            ("\"iv\":\"\(nonce)\",\"tag\":\"\(tag)\"", "key-unwrap-failed"),
        ]
        for (parameters, expected) in cases {
            let header = TokenFixture.url("{\"alg\":\"A256GCMKW\",\"enc\":\"A256GCM\",\(parameters)}")
            let text = TokenFixture.compact(Self.replacing(good, 0, header))
            #expect(Self.code { _ = try key.decrypt(CompactJWE(text, limit: 1 << 16)) } == expected, "\(parameters)")
        }
        let long = TokenFixture.compact(Self.replacing(good, 1, TokenFixture.url([UInt8](0..<40))))
        #expect(Self.code { _ = try key.decrypt(CompactJWE(long, limit: 1 << 16)) } == "wrong-length")
    }

    @Test("Errors name the part and the offset in the text")
    func namesParts() throws {
        let good = try TokenFixture.encrypted(Array("{}".utf8))
        let names = [
            "JWE protected header", "JWE encrypted key", "JWE initialization vector", "JWE ciphertext",
            "JWE authentication tag",
        ]
        var start = 3
        for (index, name) in names.enumerated() {
            let text = Array(("..." + Self.replacing(good, index, "*" + good[index]).joined(separator: ".")).utf8)
            let error = decodeError { _ = try CompactJWE(text[3...], limit: InputLimits.joseText) }
            #expect(error?.field == name)
            #expect(error?.offset == start)
            start += good[index].utf8.count + 1
        }
        // The parameter begins at byte 15 of the header, whose fourth group of four begins at character 20.
        let zip = TokenFixture.url(#"{"alg":"ES256","zip":"DEF"}"#) + "..AA"
        let error = decodeError { _ = try CompactJWS(Array(zip.utf8), limit: InputLimits.joseText) }
        #expect(error?.field == "JWS protected header.zip")
        #expect(error?.offset == 20)
        let payload = decodeError { _ = try CompactJWS(Array("eyJhbGciOiJFUzI1NiJ9.*.".utf8), limit: 100) }
        #expect(payload?.field == "JWS payload")
        let signature = decodeError { _ = try CompactJWS(Array("eyJhbGciOiJFUzI1NiJ9..A".utf8), limit: 100) }
        #expect(signature?.field == "JWS signature")
    }

    @Test("Keys have the length or the curve of their algorithm")
    func keys() throws {
        for count in [0, 16, 24, 31, 33, 64] {
            let secret = SecretBytes([UInt8](repeating: 1, count: count))
            #expect(throws: DecodeError.self) { try JWEKey.a256KW(secret) }
            #expect(throws: DecodeError.self) { try JWEKey.a256GCMKW(secret) }
            #expect(((try? JWSKey.hs256(secret)) != nil) == (count >= 32))
        }
        let p384 = try ECDSAPublicKey(x963: P384.Signing.PrivateKey().publicKey.x963Representation, curve: .p384)
        #expect(throws: DecodeError.self) { try JWSKey.es256(p384) }
    }
}
