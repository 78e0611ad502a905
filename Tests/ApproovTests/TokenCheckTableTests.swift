import Approov
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// Each check fails alone for its own reason, and no other check fails.
@Suite("Checks of Approov tokens")
struct TokenCheckTableTests {
    /// One change to genuine claims.
    struct Change: Sendable, CustomTestStringConvertible {
        let claim: String
        let json: String?
        let check: CheckID
        let code: String

        init(_ claim: String, _ json: String?, _ check: CheckID, _ code: String) {
            (self.claim, self.json, self.check, self.code) = (claim, json, check, code)
        }

        var testDescription: String { "\(claim) \(json ?? "missing")" }

        var claims: JSONItem {
            var claims = TokenFixtures.claims
            claims[claim] = json.map { .raw($0) }
            return claims
        }
    }

    static let changes: [Change] = [
        Change("exp", nil, CheckID.approovTokenExpiry, "expiry-missing"),
        Change("exp", "1790000000", CheckID.approovTokenExpiry, "expired"),
        Change("exp", "1789999999.999", CheckID.approovTokenExpiry, "expired"),
        Change("exp", "1790000000.0", CheckID.approovTokenExpiry, "expired"),
        Change("exp", "0", CheckID.approovTokenExpiry, "expired"),
        Change("exp", "-1", CheckID.approovTokenExpiry, "expired"),
        Change("exp", "-0", CheckID.approovTokenExpiry, "expired"),
        Change("exp", "1e400", CheckID.approovTokenExpiry, "expiry-out-of-range"),
        Change("exp", "-1e400", CheckID.approovTokenExpiry, "expiry-out-of-range"),
        Change("exp", "1790000240000", CheckID.approovTokenExpiry, "expiry-out-of-range"),
        Change("exp", "1790000601", CheckID.approovTokenExpiry, "lives-too-long"),
        Change("exp", "\"\"", CheckID.approovTokenClaims, "unexpected-type"),
        Change("exp", "\"1999999999\"", CheckID.approovTokenClaims, "unexpected-type"),
        Change("exp", "true", CheckID.approovTokenClaims, "unexpected-type"),
        Change("exp", "null", CheckID.approovTokenClaims, "unexpected-type"),
        Change("exp", "[1790000240]", CheckID.approovTokenClaims, "unexpected-type"),
        Change("nbf", "1790000000.001", CheckID.approovTokenExpiry, "not-yet-valid"),
        Change("nbf", "1e400", CheckID.approovTokenExpiry, "not-yet-valid"),
        Change("nbf", "\"0\"", CheckID.approovTokenClaims, "unexpected-type"),
        Change("iat", "\"0\"", CheckID.approovTokenClaims, "unexpected-type"),
        Change("did", "\"\"", CheckID.approovTokenClaims, "unexpected-value"),
        Change("did", "7", CheckID.approovTokenClaims, "unexpected-type"),
        Change("did", "\"h4gubfCFzJu81j_U2BJsdg==\"", CheckID.approovTokenClaims, "unexpected-value"),
        Change("did", "\"h4gubfCFzJu81j/U2BJsdg\"", CheckID.approovTokenClaims, "unexpected-value"),
        Change("did", "\"h4gubfCFzJu81j/U2BJsdg==\\n\"", CheckID.approovTokenClaims, "unexpected-value"),
        Change("did", nil, CheckID.approovTokenFailover, "failover"),
        Change("ip", "null", CheckID.approovTokenClaims, "unexpected-type"),
        Change("arc", "17", CheckID.approovTokenClaims, "unexpected-type"),
        Change("arc", "\"\(String(repeating: "A", count: 65))\"", CheckID.approovTokenClaims, "too-large"),
        Change("pay", nil, CheckID.approovTokenBinding, "not-bound"),
        Change("pay", "\"\(TokenFixtures.digest("Bearer other"))\"", CheckID.approovTokenBinding, "binding-differs"),
        Change("pay", "\"\"", CheckID.approovTokenClaims, "unexpected-length"),
        Change("pay", "\"AAAA\"", CheckID.approovTokenClaims, "unexpected-length"),
        Change("pay", "true", CheckID.approovTokenClaims, "unexpected-type"),
        Change("anno", "\"frida\"", CheckID.approovTokenClaims, "unexpected-type"),
        Change("anno", "[1]", CheckID.approovTokenClaims, "unexpected-type"),
        Change("anno", "[\"debug\",\"frida\"]", CheckID.approovTokenAnnotations, "annotations-rejected"),
        Change("anno", "[\"debug\",\"tampered\"]", CheckID.approovTokenTampering, "tampered"),
        Change("iss", "\"somebody\"", CheckID.approovTokenIssuer, "issuer-not-allowed"),
        Change("iss", "\"\"", CheckID.approovTokenIssuer, "issuer-not-allowed"),
        Change("iss", "1", CheckID.approovTokenClaims, "unexpected-type"),
        Change("aud", nil, CheckID.approovTokenAudience, "audience-missing"),
        Change("aud", "\"bank.example.com\"", CheckID.approovTokenAudience, "audience-differs"),
        Change("aud", "[]", CheckID.approovTokenAudience, "audience-differs"),
        Change("aud", "[\"API.example.com\",\"api.example.com.\"]", CheckID.approovTokenAudience, "audience-differs"),
        Change("aud", "[null]", CheckID.approovTokenClaims, "unexpected-type"),
        Change("sub", "{}", CheckID.approovTokenClaims, "unexpected-type"),
        Change("ipk", "\"====\"", CheckID.approovTokenClaims, "invalid-text"),
        Change("mskid", "1", CheckID.approovTokenClaims, "unexpected-type"),
        Change("mpk", "\"AAAA\"", CheckID.approovTokenClaims, "unexpected-length"),
        Change("imh", "1", CheckID.approovTokenClaims, "unexpected-type"),
        Change("dmh", "\"AAAAAAAAAAAAAAAAAAAAAA==\"", CheckID.approovTokenClaims, "unexpected-length"),
    ]

    @Test("A genuine token is accepted in either form, and every applicable check passes")
    func genuine() async throws {
        let signed = try await TokenFixtures.judge(TokenFixtures.token())
        #expect(signed.outcome == .accept)
        #expect(signed.checks.map(\.check) == ApproovCheck.signedTokenChecks)
        let asked = [CheckID.approovTokenIssuer, CheckID.approovTokenAnnotations, CheckID.approovTokenAccount]
        #expect(signed.checks.filter { $0.status == .skipped }.map(\.check) == asked)
        #expect(signed.annotated == [])
        #expect(signed.tokenDetail(CheckID.approovTokenSignature) == "with key approov")

        var settings = TokenFixtures.strict
        settings.format = .jwe
        let sealed = try await TokenFixtures.judge(TokenFixtures.jwe(TokenFixtures.claims.text), settings)
        #expect(sealed.outcome == .accept)
        #expect(sealed.checks.map(\.check) == ApproovCheck.encryptedTokenChecks)
        #expect(sealed.approov?.form == "jwe")
        #expect(sealed.tokenDetail(CheckID.approovTokenDecryption) == "with key approov")
    }

    @Test("A change of genuine claims fails only the check for it", arguments: changes)
    func signed(change: Change) async throws {
        let verdict = try await TokenFixtures.judge(TokenFixtures.token(change.claims))
        #expect(verdict.outcome == .reject)
        #expect(verdict.failed == [change.check])
        #expect(verdict.tokenCode(change.check) == change.code, "\(verdict.tokenDetail(change.check))")
        #expect(!verdict.tokenDetail(change.check).isEmpty)
    }

    @Test("A change of encrypted claims fails only the check for it", arguments: changes)
    func encrypted(change: Change) async throws {
        var settings = TokenFixtures.strict
        settings.format = .jwe
        let verdict = try await TokenFixtures.judge(TokenFixtures.jwe(change.claims.text), settings)
        #expect(verdict.failed == [change.check])
        #expect(verdict.tokenCode(change.check) == change.code)
    }

    @Test(
        "exp may have a fraction or an exponent; the token expires exactly at this time",
        arguments: ["1790000000.001", "1790000240.5", "1.79000024e9", "1790000600"])
    func expiryForms(exp: String) async throws {
        var claims = TokenFixtures.claims
        claims["exp"] = .raw(exp)
        #expect(try await TokenFixtures.judge(TokenFixtures.token(claims)).failed == [])
    }

    @Test("A token is valid from the exact time in nbf", arguments: ["1790000000", "1789999999.999", "0"])
    func notBefore(nbf: String) async throws {
        var claims = TokenFixtures.claims
        claims["nbf"] = .raw(nbf)
        #expect(try await TokenFixtures.judge(TokenFixtures.token(claims)).failed == [])
    }

    @Test("After a failed gate, every dependent check is skipped because of it")
    func gates() async throws {
        let good = try TokenFixtures.token()
        let cases: [(String, CheckID)] = [
            ("\(good).", CheckID.approovTokenDecode),
            (try TokenFixtures.jws(TokenFixtures.claims.text, header: #"{"alg":"HS384"}"#), CheckID.approovTokenKey),
            (
                try TokenFixtures.jws(TokenFixtures.claims.text, by: TokenFixtures.hs256(TokenFixtures.otherSecret)),
                CheckID.approovTokenSignature
            ),
            (try TokenFixtures.jws("[]"), CheckID.approovTokenClaims),
        ]
        for (token, gate) in cases {
            let verdict = try await TokenFixtures.judge(token)
            #expect(verdict.failed == [gate])
            #expect(verdict.checks.map(\.check) == ApproovCheck.signedTokenChecks)
            let later = verdict.checks.drop { $0.check != gate }.dropFirst()
            #expect(later.allSatisfy { $0.status == .skipped && $0.because == .check(gate) })
        }
        var settings = TokenFixtures.strict
        settings.format = .jwe
        let foreign = try TokenFixtures.jwe(TokenFixtures.claims.text, secret: TokenFixtures.otherSecret)
        let sealed = try await TokenFixtures.judge(foreign, settings)
        #expect(sealed.failed == [CheckID.approovTokenDecryption])
        #expect(sealed.checks.map(\.check) == ApproovCheck.encryptedTokenChecks)
        #expect(sealed.subject == nil)
    }

    @Test("All failed policy checks are reported, and the mode of each is independent")
    func modes() async throws {
        var claims = TokenFixtures.claims
        claims["iss"] = "somebody"
        claims["anno"] = ["frida"]
        let token = try TokenFixtures.token(claims)
        #expect(
            try await TokenFixtures.judge(token).failed == [
                CheckID.approovTokenIssuer, CheckID.approovTokenAnnotations,
            ])
        let relaxed = try await TokenFixtures.judge(
            token, modes: [.approovTokenIssuer: .annotate, .approovTokenAnnotations: .off])
        #expect(relaxed.outcome == .accept)
        #expect(relaxed.annotated == [CheckID.approovTokenIssuer])
        #expect(relaxed.tokenResult(CheckID.approovTokenAnnotations)?.because == .policy)
    }

    @Test("A policy cannot relax a gate or enforce a signal")
    func relaxation() throws {
        for definition in ApproovCheck.catalogue {
            let forbidden: [CheckMode] =
                switch definition.kind {
                case .gate, .ledger: [.annotate, .off]
                case .signal: [.enforce]
                case .policy: []
                }
            for mode in forbidden {
                #expect(throws: PolicyError.self) { try TokenFixtures.verifier(modes: [definition.id: mode]) }
            }
        }
    }
}
