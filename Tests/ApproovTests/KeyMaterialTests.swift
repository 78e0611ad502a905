import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation
import Testing

/// Keys are accepted as users paste them. Errors about other texts never quote them.
@Suite("Approov keys")
struct KeyMaterialTests {
    private static let secret = TokenFixtures.secret
    private static let base64 = Base64.encode(secret, .standard)
    private static let base64url = Base64.encode(secret, .url)
    private static let hex = secret.map { String(format: "%02x", $0) }.joined()
    private static let info = TokenFixtures.signingKey.subjectPublicKeyInfo()

    private func read(_ parts: [String: String]) throws(KeyError) -> ApproovKey {
        try ApproovKey.reading(parts.mapValues { TokenFixtures.part($0) })
    }

    private func accepts(_ key: ApproovKey, _ header: String, _ signer: TokenFixtures.Signer) async throws -> Bool {
        let token = try TokenFixtures.jws(TokenFixtures.claims.text, header: header, by: signer)
        return try await TokenFixtures.judge(token, keys: [TokenFixtures.key("k", key)]).outcome == .accept
    }

    /// Whether a run of characters of one text occurs in another.
    private func reveals(_ message: String, _ secret: String, run: Int = 4) -> Bool {
        let bytes = Array(secret.utf8)
        return bytes.indices.dropLast(run - 1).contains { start in
            message.contains(String(decoding: bytes[start..<start + run], as: UTF8.self))
        }
    }

    // MARK: Secrets

    @Test(
        "A secret is base64 in either alphabet, also wrapped, quoted or with surrounding white space",
        arguments: [
            base64, base64url, base64 + "\n", " \t\(base64)\r\n", "\"\(base64)\"", "'\(base64url)'",
            String(base64.dropLast(2)), base64url + "==", "\(base64.prefix(64))\n\(base64.dropFirst(64))\n",
            "\(base64.prefix(76))\r\n\(base64.dropFirst(76))",
            base64.map { "\($0) " }.joined(),
        ])
    func secretForms(text: String) async throws {
        let key = try read(["secret": text])
        #expect(try await accepts(key, TokenFixtures.header, TokenFixtures.hs256()))
        #expect(key.algorithm == "HS256, A256GCMKW, A256GCM")
        #expect(key.keyID == nil)
        var settings = TokenFixtures.strict
        settings.format = .jwe
        let sealed = try await TokenFixtures.judge(
            TokenFixtures.jwe(TokenFixtures.claims.text), settings, keys: [TokenFixtures.key("k", key)])
        #expect(sealed.outcome == .accept)
    }

    /// An invalid secret, and the expected message.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let code: String
        let found: String

        init(_ name: String, _ text: String, _ code: String, _ found: String) {
            (testDescription, self.text, self.code, self.found) = (name, text, code, found)
        }
    }

    private static func base64(_ count: Int) -> String {
        Base64.encode((0..<count).map { secret[$0 % 64] }, .standard)
    }

    static let mistakes: [Mistake] = [
        Mistake("empty", "", "empty", "nothing"), Mistake("blank", " \n\"\"", "empty", "nothing"),
        Mistake("32 bytes", base64(32), "wrong-length", "base64 of 32 bytes"),
        Mistake("63 bytes", base64(63), "wrong-length", "base64 of 63 bytes"),
        Mistake("65 bytes", base64(65), "wrong-length", "base64 of 65 bytes"),
        Mistake("encoded twice", Base64.encode(Array(base64.utf8), .standard), "wrong-length", "base64 of 88 bytes"),
        Mistake("64 KiB", base64(48 * 1024), "wrong-length", "base64 of 49152 bytes"),
        Mistake("hexadecimal", hex, "hexadecimal", "128 hexadecimal digits"),
        Mistake("hexadecimal in capitals", hex.uppercased(), "hexadecimal", "128 hexadecimal digits"),
        Mistake("both alphabets", "-+" + base64.dropFirst(2), "not-base64", "88 characters"),
        Mistake("cut", String(base64.dropLast(3)), "not-base64", "85 characters"),
        Mistake("with its name", "APPROOV_SECRET=\(base64)", "not-base64", "103 characters"),
        Mistake("twice", base64 + base64, "not-base64", "176 characters"),
        Mistake("padded too much", base64 + "=", "not-base64", "89 characters"),
        Mistake("spare bits", base64.dropLast(3) + "B==", "not-base64", "88 characters"),
        Mistake(
            "PEM of a public key", TokenFixtures.pem(info), "pem", "a public key is no secret, and never serves as one"),
        Mistake("PEM of a private key", TokenFixtures.signingKey.pem, "pem", "PRIVATE KEY"),
        Mistake("PEM's contents", Base64.encode(info, .standard), "wrong-length", "base64 of 91 bytes"),
        Mistake("accents", "é\(base64)", "not-text", "90 bytes"),
    ]

    @Test("An invalid secret is reported by kind and length, and never shown", arguments: mistakes)
    func secretErrors(mistake: Mistake) throws {
        let error = #expect(throws: KeyError.self) { try read(["secret": mistake.text]) }
        #expect(error?.part == "secret")
        #expect(error?.code == mistake.code, "\(error?.message ?? "")")
        #expect(error?.message.contains(mistake.found) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("64 bytes") == true)
        // The words of a PEM label and the name of a variable are not secret.
        let body = mistake.text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
            .map { $0.split(separator: "APPROOV_SECRET=").joined() }
        for line in body { #expect(!reveals("\(error?.description ?? "")", line)) }
    }

    @Test("An invalid binary secret is reported by its number of bytes")
    func binarySecret() throws {
        let error = #expect(throws: KeyError.self) {
            try ApproovKey.reading(["secret": SecretBytes(Self.secret.map { $0 | 0x80 })])
        }
        #expect(error?.code == "not-text")
        #expect(error?.message.contains("64 bytes that are no text") == true)
    }

    // MARK: Public keys

    @Test("A public key is base64 of its SubjectPublicKeyInfo, or PEM, on P-256 or of RSA")
    func publicKeyForms() async throws {
        for text in [
            Base64.encode(Self.info, .standard), Base64.encode(Self.info, .url), TokenFixtures.pem(Self.info),
            TokenFixtures.pem(Self.info).replacing("\n", with: "\r\n"),
        ] {
            let key = try read(["publicKey": text, "keyID": "es", "algorithm": "ES256"])
            #expect(key.algorithm == "ES256")
            #expect(try await accepts(key, #"{"alg":"ES256","kid":"es"}"#, TokenFixtures.es256()))
        }
        let rsa = try RSATestKey.published().subjectPublicKeyInfo
        for text in [Base64.encode(rsa, .standard), TokenFixtures.pem(rsa)] {
            let key = try read(["publicKey": text, "keyID": "rs", "algorithm": "RS256"])
            #expect(key.algorithm == "RS256")
            #expect(try await accepts(key, #"{"alg":"RS256","kid":"rs"}"#, TokenFixtures.rs256()))
        }
    }

    @Test("An invalid public key is reported")
    func publicKeyErrors() throws {
        let p384 = P384.Signing.PrivateKey().publicKey
        // 1024 bits: the reader checks only the length of the modulus, so its value does not matter.
        let short: [UInt8] =
            [
                0x30, 0x81, 0x9F, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05,
                0x00,
            ]
            + [0x03, 0x81, 0x8D, 0x00, 0x30, 0x81, 0x89, 0x02, 0x81, 0x81, 0x00] + [UInt8](repeating: 0xC3, count: 128)
            + [0x02, 0x03, 0x01, 0x00, 0x01]
        let ed25519 = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + Self.info.suffix(32)
        let cases: [(String, String, String)] = [
            ("", "empty", "nothing"), (#" {"keys":[]}"#, "json", "JSON"),
            (Base64.encode(p384.derRepresentation.map { $0 }, .standard), "wrong-key", "p384"),
            (Base64.encode(short, .standard), "wrong-key", "1024 bits"),
            (Base64.encode(ed25519, .standard), "wrong-key", "44 bytes"), (Self.base64, "swapped", "64 bytes"),
            (TokenFixtures.signingKey.pem, "private-key", "PRIVATE KEY"),
            (Base64.encode(Self.info + [0], .standard), "wrong-key", "92 bytes"),
            (Base64.encode(Self.info.dropLast() + [Self.info[90] ^ 1], .standard), "wrong-key", "not on"),
        ]
        for (text, code, found) in cases {
            let error = #expect(throws: KeyError.self) { try read(["publicKey": text]) }
            #expect(error?.part == "publicKey")
            #expect(error?.code == code, "\(error?.message ?? "")")
            #expect(error?.message.contains(found) == true, "\(error?.message ?? "")")
        }
        let shown = #expect(throws: KeyError.self) { try read(["publicKey": Self.base64]) }
        #expect(!reveals(shown?.description ?? "", Self.base64))
    }

    // MARK: Key sets

    private static func keySet() throws -> JSONItem {
        var keys = try ApproovTestKeys()
        keys.signingKey = TokenFixtures.signingKey
        return keys.keySet(es256: "es", rs256: "rs")
    }

    @Test("A key of a set is selected only by the kid of the header")
    func keySets() async throws {
        let key = try read(["keySet": Self.keySet().text])
        #expect(key.algorithm == "ES256, RS256")
        #expect(key.keyID == nil)
        #expect(try await accepts(key, #"{"alg":"ES256","kid":"es"}"#, TokenFixtures.es256()))
        #expect(try await accepts(key, #"{"alg":"RS256","kid":"rs"}"#, TokenFixtures.rs256()))
        for header in [#"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"ES"}"#, #"{"alg":"ES256","kid":"rs"}"#] {
            #expect(try await !accepts(key, header, TokenFixtures.es256()))
        }
    }

    @Test(
        "A set with no key, a secret, a private key or two keys with one ID is refused as a whole",
        arguments: [
            ("{}", "malformed"), (#"{"keys":[]}"#, "empty"), ("[]", "malformed"), ("", "malformed"),
            (#"{"keys":[{"kty":"oct","kid":"a","k":"\#(base64url)"}]}"#, "symmetric"),
            (#"{"keys":[{"kty":"OKP","kid":"a","crv":"Ed25519","x":"AAAA"}]}"#, "empty"),
            (#"{"keys":[{"kty":"EC","kid":"a","crv":"P-256","x":"AA","y":"AA","d":"\#(base64url)"}]}"#, "malformed"),
            (#"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, "malformed"), (base64, "malformed"),
            (base64url, "malformed"), ("\"\(base64)\"", "malformed"), ("{\"\(base64)\":1}", "malformed"),
            ("\n-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n", "pem"),
        ])
    func keySetErrors(text: String, code: String) throws {
        let error = #expect(throws: KeyError.self) { try read(["keySet": text]) }
        #expect(error?.part == "keySet")
        #expect(error?.code == code, "\(error?.message ?? "")")
        #expect(!reveals(error?.description ?? "", Self.base64url))
        #expect(!reveals(error?.description ?? "", Self.base64))
    }

    // MARK: Parts

    @Test("A wrong algorithm reveals a key of another kind, and the parts exclude each other")
    func parts() throws {
        let pem = TokenFixtures.pem(Self.info)
        let set = try Self.keySet().text
        let cases: [([String: String], part: String, code: String)] = [
            ([:], "", "missing-part"), (["keyID": "a"], "", "missing-part"),
            (["secret": Self.base64, "publicKey": pem], "", "contradiction"),
            (["keySet": set, "publicKey": pem], "", "contradiction"),
            (["keySet": set, "keyID": "a"], "keyID", "contradiction"),
            (["keySet": set, "algorithm": "ES256"], "algorithm", "contradiction"),
            (["secret": Self.base64, "algorithm": "HS512"], "algorithm", "wrong-algorithm"),
            (["secret": Self.base64, "algorithm": "none"], "algorithm", "wrong-algorithm"),
            (["secret": Self.base64, "algorithm": "hs256"], "algorithm", "wrong-algorithm"),
            (["publicKey": pem, "algorithm": "HS256"], "algorithm", "wrong-algorithm"),
            (["publicKey": pem, "algorithm": "RS256"], "algorithm", "wrong-algorithm"),
            (["secret": Self.base64, "keyID": ""], "keyID", "malformed"),
            (["secret": Self.base64, "keyID": " a"], "keyID", "malformed"),
            (["secret": Self.base64, "keyID": "a\u{0}"], "keyID", "malformed"),
            (["secret": Self.base64, "kid": "a"], "kid", "unknown-part"),
        ]
        for (parts, part, code) in cases {
            let error = #expect(throws: KeyError.self) { try read(parts) }
            #expect(error?.part == part)
            #expect(error?.code == code, "\(error?.message ?? "")")
            #expect(!reveals(error?.description ?? "", Self.base64))
        }
    }

    @Test("A message signing key is a secret of 32 to 128 bytes with an ID")
    func messageKeys() throws {
        for count in [32, 33, 64, 128] {
            let key = try ApproovMessageKey.reading([
                "secret": TokenFixtures.part(Self.base64(count)), "keyID": TokenFixtures.part("acc"),
            ])
            #expect(key.keyID == "acc")
            #expect(key.algorithm == "hmac-sha256")
        }
        for (text, code) in [
            (Self.base64(31), "wrong-length"), (Self.base64(129), "wrong-length"), ("", "empty"),
            (String(Self.hex.prefix(64)), "hexadecimal"), (TokenFixtures.pem(Self.info), "pem"),
        ] {
            let error = #expect(throws: KeyError.self) {
                try ApproovMessageKey.reading([
                    "secret": TokenFixtures.part(text), "keyID": TokenFixtures.part("acc"),
                ])
            }
            #expect(error?.code == code, "\(error?.message ?? "")")
            #expect(error?.message.contains("32 to 128 bytes") == true)
        }
        let nameless = #expect(throws: KeyError.self) {
            try ApproovMessageKey.reading(["secret": TokenFixtures.part(Self.base64)])
        }
        #expect(nameless?.code == "missing-part")
        #expect(nameless?.part == "keyID")
    }

    @Test("Neither half of a key pair is accepted as a secret: with a public key as secret, anyone could sign")
    func keyPairHalves() throws {
        let signing = P256.Signing.PrivateKey()
        let agreement = Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation
        // The DER of a SubjectPublicKeyInfo and of a PrivateKeyInfo of Curve25519 (RFC 8410 sections 4 and 7).
        let publicInfo = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6E, 0x03, 0x21, 0x00] + Array(agreement)
        let privateInfo =
            [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6E, 0x04, 0x22, 0x04, 0x20]
            + Array(agreement)
        let ecPrivateKey =
            [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + Array(signing.rawRepresentation)
            + [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        for (der, code) in [
            (Self.info, "public-key"), (Array(P384.Signing.PrivateKey().publicKey.derRepresentation), "public-key"),
            (Array(signing.publicKey.x963Representation), "public-key"),
            (Array(P384.Signing.PrivateKey().publicKey.x963Representation), "public-key"),
            (publicInfo, "public-key"), (privateInfo, "private-key"), (ecPrivateKey, "private-key"),
        ] {
            for alphabet in [Base64.Alphabet.standard, .url] {
                let text = Base64.encode(der, alphabet)
                let error = #expect(throws: KeyError.self) {
                    try ApproovMessageKey.reading([
                        "secret": TokenFixtures.part(text), "keyID": TokenFixtures.part("acc"),
                    ])
                }
                #expect(error?.code == code, "\(error?.message ?? "")")
                #expect(error?.part == "secret")
                #expect(!reveals(error?.description ?? "", text, run: 8))
            }
        }
        // A text that only begins like such a key is an ordinary secret.
        let secret = Array(Self.info.dropLast(27))
        _ = try ApproovMessageKey.reading([
            "secret": TokenFixtures.part(Base64.encode(secret, .standard)), "keyID": TokenFixtures.part("acc"),
        ])
    }

    @Test("Descriptions and dumps of a key contain none of its bytes")
    func description() throws {
        for key in try TokenFixtures.keys() {
            var text = "\(key) \(key.material)"
            dump(key, to: &text)
            // Dumps contain addresses: a few of their digits may occur in a key by chance.
            for secret in [Self.base64, Self.base64url, Self.hex] { #expect(!reveals(text, secret, run: 8)) }
            #expect(!text.contains(Self.secret.prefix(4).map { "\($0)" }.joined(separator: ", ")))
        }
    }
}
