import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation
import Testing

/// Tokens from attackers and defective clients, with keys of every kind.
@Suite("Hostile Approov tokens")
struct TokenHostileTests {
    private static let claims = TokenFixtures.claims.text

    private func judge(_ token: String, keys: [NamedKey]? = nil) async throws -> Verdict {
        try await TokenFixtures.judge(token, keys: keys ?? TokenFixtures.keys())
    }

    @Test("Each of the three algorithms is accepted under its own key and its own kid")
    func genuine() async throws {
        let cases: [(String, TokenFixtures.Signer)] = [
            (#"{"alg":"HS256"}"#, TokenFixtures.hs256()), (#"{"alg":"HS256","kid":"hs"}"#, TokenFixtures.hs256()),
            (#"{"alg":"ES256","kid":"es"}"#, TokenFixtures.es256()),
            (#"{"alg":"RS256","kid":"rs"}"#, TokenFixtures.rs256()),
            (#"{"typ":"JOSE","kid":"rs","alg":"RS256","cty":"x","x5t":"y"}"#, TokenFixtures.rs256()),
        ]
        for (header, signer) in cases {
            let verdict = try await judge(TokenFixtures.jws(Self.claims, header: header, by: signer))
            #expect(verdict.failed == [], "\(header)")
        }
    }

    /// A header, the signer, and the check and code of the expected failure.
    struct Header: Sendable, CustomTestStringConvertible {
        let json: String
        let signer: TokenFixtures.Signer
        let check: CheckID
        let code: String

        init(_ json: String, _ signer: @escaping TokenFixtures.Signer, _ check: CheckID, _ code: String) {
            (self.json, self.signer, self.check, self.code) = (json, signer, check, code)
        }

        var testDescription: String { json }
    }

    private static let (hs, es, rs) = (TokenFixtures.hs256(), TokenFixtures.es256(), TokenFixtures.rs256())
    private static let hs384: TokenFixtures.Signer = {
        Array(HMAC<SHA384>.authenticationCode(for: Data($0.utf8), using: SymmetricKey(data: TokenFixtures.secret)))
    }
    private static let hs512: TokenFixtures.Signer = {
        Array(HMAC<SHA512>.authenticationCode(for: Data($0.utf8), using: SymmetricKey(data: TokenFixtures.secret)))
    }
    private static let nobody: TokenFixtures.Signer = { _ in [] }
    private static let publicKeyAsSecret: TokenFixtures.Signer = {
        try TokenFixtures.hs256(Array(TokenFixtures.pem(TokenFixtures.signingKey.subjectPublicKeyInfo()).utf8))($0)
    }
    private static let infoAsSecret: TokenFixtures.Signer = {
        try TokenFixtures.hs256(TokenFixtures.signingKey.subjectPublicKeyInfo())($0)
    }

    static let headers: [Header] = [
        Header("{}", hs, CheckID.approovTokenDecode, "missing"),
        Header(#"{"typ":"JWT"}"#, hs, CheckID.approovTokenDecode, "missing"),
        Header(#"{"alg":null}"#, hs, CheckID.approovTokenDecode, "unexpected-type"),
        Header(#"{"alg":["HS256"]}"#, hs, CheckID.approovTokenDecode, "unexpected-type"),
        Header(#"{"alg":"HS256","alg":"HS256"}"#, hs, CheckID.approovTokenDecode, "duplicate-key"),
        Header(#"{"alg":"HS256","kid":7}"#, hs, CheckID.approovTokenDecode, "unexpected-type"),
        Header(#"{"alg":"HS256","crit":["exp"],"exp":1}"#, hs, CheckID.approovTokenDecode, "unexpected"),
        Header(#"{"alg":"HS256","crit":[]}"#, hs, CheckID.approovTokenDecode, "unexpected"),
        Header(#"{"alg":"HS256","b64":false}"#, hs, CheckID.approovTokenDecode, "unexpected"),
        Header(#"{"alg":"none"}"#, nobody, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"None"}"#, nobody, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":""}"#, nobody, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"none"}"#, hs, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"hs256"}"#, hs, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"HS256 "}"#, hs, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"HS384"}"#, hs384, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"HS512"}"#, hs512, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"HS256"}"#, hs384, CheckID.approovTokenSignature, "wrong-length"),
        Header(#"{"alg":"HS256"}"#, nobody, CheckID.approovTokenSignature, "wrong-length"),
        Header(#"{"alg":"HS256","kid":"../../../../dev/null"}"#, hs, CheckID.approovTokenKey, "unknown-key-id"),
        Header(#"{"alg":"HS256","kid":"hs\u0000"}"#, hs, CheckID.approovTokenKey, "unknown-key-id"),
        Header(#"{"alg":"HS256","kid":""}"#, hs, CheckID.approovTokenKey, "unknown-key-id"),
        Header(#"{"alg":"HS256","kid":"' OR 1=1 --"}"#, hs, CheckID.approovTokenKey, "unknown-key-id"),
        Header(#"{"alg":"HS256","kid":"es"}"#, hs, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"HS256","kid":"es"}"#, publicKeyAsSecret, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"HS256","kid":"hs"}"#, publicKeyAsSecret, CheckID.approovTokenSignature, "signature-invalid"),
        Header(#"{"alg":"HS256"}"#, publicKeyAsSecret, CheckID.approovTokenSignature, "signature-invalid"),
        Header(#"{"alg":"HS256"}"#, infoAsSecret, CheckID.approovTokenSignature, "signature-invalid"),
        Header(#"{"alg":"ES256","kid":"rs"}"#, es, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"RS256","kid":"es"}"#, rs, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"ES256","kid":"hs"}"#, es, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"PS256","kid":"rs"}"#, rs, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"RS256","kid":"rs"}"#, es, CheckID.approovTokenSignature, "wrong-length"),
        Header(#"{"alg":"ES256","kid":"es"}"#, hs, CheckID.approovTokenSignature, "wrong-length"),
        Header(#"{"alg":"ES256"}"#, es, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(#"{"alg":"RS256"}"#, rs, CheckID.approovTokenKey, "algorithm-not-allowed"),
        Header(
            #"{"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"},"jku":"https://evil.example/"}"#, infoAsSecret,
            CheckID.approovTokenSignature, "signature-invalid"),
    ]

    @Test("No header bypasses the key", arguments: headers)
    func header(_ header: Header) async throws {
        let verdict = try await judge(TokenFixtures.jws(Self.claims, header: header.json, by: header.signer))
        #expect(verdict.failed == [header.check], "\(verdict.tokenDetail(header.check))")
        #expect(verdict.tokenCode(header.check) == header.code)
        #expect(verdict.approov?.claims == nil)
    }

    @Test(
        "Authentic claims that two readers would understand differently are refused",
        arguments: [
            (#"{"exp":1790000240,"exp":1}"#, "duplicate-key"), (#"{"exp":1,"\u0065xp":1790000240}"#, "duplicate-key"),
            (#"{"exp":1790000240,"x":{"a":1,"a":2}}"#, "duplicate-key"), ("[]", "unexpected-type"),
            ("null", "unexpected-type"), ("1790000240", "unexpected-type"), ("\"exp\"", "unexpected-type"),
            ("", "truncated"), ("{", "truncated"), (#"{"exp":1790000240}{}"#, "trailing-bytes"),
            (#"{"exp":1790000240,}"#, "malformed"), (#"{"exp":NaN}"#, "malformed"),
            (#"{"exp":0x6AB13B00}"#, "malformed"), (#"{"exp":+1790000240}"#, "malformed"),
            (#"{"exp":01790000240}"#, "not-minimal"), (#"{'exp':1790000240}"#, "malformed"),
            ("\u{FEFF}{\"exp\":1790000240}", "malformed"),
            (#"{"x":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}", "too-deep"),
        ])
    func claims(json: String, code: String) async throws {
        let verdict = try await judge(TokenFixtures.jws(json))
        #expect(verdict.failed == [CheckID.approovTokenClaims])
        #expect(
            verdict.tokenCode(CheckID.approovTokenClaims) == code, "\(verdict.tokenDetail(CheckID.approovTokenClaims))")
        #expect(verdict.subject == nil)
    }

    @Test("Malformed tokens are refused before any key is used")
    func forms() async throws {
        let token = try TokenFixtures.token()
        let parts = token.split(separator: ".").map(String.init)
        let texts = [
            "", " ", ".", "..", "...", "....", "\(token).", ".\(token)", "\(parts[0]).\(parts[1])",
            "\(token) ", " \(token)", "\(token)\n", "\(token)=", "\(token)==", "Bearer \(token)", "bearer \(token)",
            "\"\(token)\"", "\(token),\(token)", "\(token);\(token)", parts.reversed().joined(separator: "."),
            "\(token)\u{0}", "\(parts[0]).\u{AD}\(parts[1]).\(parts[2])",
            token.replacing("_", with: "/").replacing("-", with: "+") + "+",
            try TokenFixtures.jwe(Self.claims), "{\"protected\":\"\",\"payload\":\"\",\"signature\":\"\"}",
            String(repeating: "A", count: 65_537), String(repeating: ".", count: 70_000),
            "\(parts[0]).\(String(repeating: "A", count: 65_536)).\(parts[2])", "e\u{301}.e\u{301}.e\u{301}",
        ]
        for text in texts {
            let verdict = try await judge(text)
            #expect(verdict.failed == [CheckID.approovTokenDecode], "\(text.prefix(40))")
            #expect(verdict.subject == nil)
        }
        let bearer = try await judge("Bearer \(token)")
        #expect(bearer.tokenDetail(CheckID.approovTokenDecode).contains("tokenPrefix"))
    }

    @Test("The policy sets the form; a token of the other form is refused, and the detail names its form")
    func otherForm() async throws {
        let sealed = try await judge(TokenFixtures.jwe(Self.claims))
        #expect(sealed.tokenDetail(CheckID.approovTokenDecode).contains("set up for signed tokens"))
        var settings = TokenFixtures.strict
        settings.format = .jwe
        let signed = try await TokenFixtures.judge(TokenFixtures.token(), settings)
        #expect(signed.failed == [CheckID.approovTokenDecode])
        #expect(signed.tokenDetail(CheckID.approovTokenDecode).contains("set up for encrypted tokens"))
    }

    @Test(
        "Encrypted tokens name the two algorithms that there are, under a secret of the account",
        arguments: [
            (#""alg":"A256KW","enc":"A256GCM""#, CheckID.approovTokenKey, "algorithm-not-allowed"),
            (#""alg":"dir","enc":"A256GCM""#, CheckID.approovTokenKey, "algorithm-not-allowed"),
            (#""alg":"RSA-OAEP","enc":"A256GCM""#, CheckID.approovTokenKey, "algorithm-not-allowed"),
            (#""alg":"A256GCMKW","enc":"A128GCM""#, CheckID.approovTokenDecryption, "algorithm-not-allowed"),
            (#""alg":"A256GCMKW","enc":"A256CBC-HS512""#, CheckID.approovTokenDecryption, "algorithm-not-allowed"),
            (#""alg":"A256GCMKW""#, CheckID.approovTokenDecode, "missing"),
            (#""alg":"A256GCMKW","enc":"A256GCM","zip":"DEF""#, CheckID.approovTokenDecode, "unexpected"),
            (#""alg":"A256GCMKW","enc":"A256GCM","kid":"other""#, CheckID.approovTokenKey, "unknown-key-id"),
            (#""alg":"A256GCMKW","enc":"A256GCM","iv":"AAAA""#, CheckID.approovTokenDecode, "duplicate-key"),
        ])
    func encryptedHeaders(header: String, check: CheckID, code: String) async throws {
        var settings = TokenFixtures.strict
        settings.format = .jwe
        let keys = [try TokenFixtures.key("hs", TokenFixtures.material(keyID: "hs"))]
        let verdict = try await TokenFixtures.judge(
            TokenFixtures.jwe(Self.claims, header: header), settings, keys: keys)
        #expect(verdict.failed == [check], "\(verdict.tokenDetail(check))")
        #expect(verdict.tokenCode(check) == code)
    }

    @Test("Public keys cannot decrypt, and the detail explains it")
    func noSecret() async throws {
        var settings = TokenFixtures.strict
        settings.format = .jwe
        let verdict = try await TokenFixtures.judge(
            TokenFixtures.jwe(Self.claims), settings, keys: Array(TokenFixtures.keys().dropFirst()))
        #expect(verdict.failed == [CheckID.approovTokenKey])
        #expect(verdict.tokenCode(CheckID.approovTokenKey) == "no-secret")
    }

    @Test("The prefix in the policy is skipped, and no other")
    func prefix() async throws {
        var settings = TokenFixtures.strict
        settings.tokenPrefix = "Bearer "
        let token = try TokenFixtures.token()
        for text in ["Bearer \(token)", token] {
            #expect(try await TokenFixtures.judge(text, settings).failed == [])
        }
        for text in ["bearer \(token)", "Bearer  \(token)", "Bearer Bearer \(token)", "Bearer ", "Bearer\t\(token)"] {
            #expect(try await TokenFixtures.judge(text, settings).failed == [CheckID.approovTokenDecode])
        }
        let word = try await TokenFixtures.judge("Bearer NO_NETWORK", settings)
        #expect(word.tokenDetail(CheckID.approovTokenDecode).contains("NO_NETWORK"))
    }

    @Test("A status word in place of a token is named with its meaning", arguments: ApproovStatusWord.sent)
    func statusWords(word: ApproovStatusWord) async throws {
        let verdict = try await judge(word.rawValue)
        #expect(verdict.failed == [CheckID.approovTokenDecode])
        #expect(verdict.tokenDetail(CheckID.approovTokenDecode).contains(word.rawValue))
        #expect(verdict.tokenDetail(CheckID.approovTokenDecode).contains(word.meaning))
        let loggable = try await TokenFixtures.verifier().verify(
            ApproovTokenInput(.loggable("{\"error\":\"\(word.rawValue)\"}")), at: TokenFixtures.now)
        #expect(loggable.failed == [CheckID.approovTokenDecode])
        #expect(loggable.tokenDetail(CheckID.approovTokenDecode).contains(word.meaning))
    }
}
