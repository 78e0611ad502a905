import Approov
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// Each check fails alone for its own reason, and no other check fails.
@Suite("Checks of Approov tokens")
struct TokenCheckTableTests {
    private typealias Check = ApproovCheck

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
        Change("exp", nil, Check.expiry, "expiry-missing"),
        Change("exp", "1790000000", Check.expiry, "expired"),
        Change("exp", "1789999999.999", Check.expiry, "expired"),
        Change("exp", "1790000000.0", Check.expiry, "expired"),
        Change("exp", "0", Check.expiry, "expired"),
        Change("exp", "-1", Check.expiry, "expired"),
        Change("exp", "-0", Check.expiry, "expired"),
        Change("exp", "1e400", Check.expiry, "expiry-out-of-range"),
        Change("exp", "-1e400", Check.expiry, "expiry-out-of-range"),
        Change("exp", "1790000240000", Check.expiry, "expiry-out-of-range"),
        Change("exp", "1790000601", Check.expiry, "lives-too-long"),
        Change("exp", "\"\"", Check.claims, "unexpected-type"),
        Change("exp", "\"1999999999\"", Check.claims, "unexpected-type"),
        Change("exp", "true", Check.claims, "unexpected-type"),
        Change("exp", "null", Check.claims, "unexpected-type"),
        Change("exp", "[1790000240]", Check.claims, "unexpected-type"),
        Change("nbf", "1790000000.001", Check.expiry, "not-yet-valid"),
        Change("nbf", "1e400", Check.expiry, "not-yet-valid"),
        Change("nbf", "\"0\"", Check.claims, "unexpected-type"),
        Change("iat", "\"0\"", Check.claims, "unexpected-type"),
        Change("did", "\"\"", Check.claims, "unexpected-value"),
        Change("did", "7", Check.claims, "unexpected-type"),
        Change("did", "\"h4gubfCFzJu81j_U2BJsdg==\"", Check.claims, "unexpected-value"),
        Change("did", "\"h4gubfCFzJu81j/U2BJsdg\"", Check.claims, "unexpected-value"),
        Change("did", "\"h4gubfCFzJu81j/U2BJsdg==\\n\"", Check.claims, "unexpected-value"),
        Change("did", nil, Check.failover, "failover"),
        Change("ip", "null", Check.claims, "unexpected-type"),
        Change("arc", "17", Check.claims, "unexpected-type"),
        Change("arc", "\"\(String(repeating: "A", count: 65))\"", Check.claims, "too-large"),
        Change("pay", nil, Check.binding, "not-bound"),
        Change("pay", "\"\(TokenFixtures.digest("Bearer other"))\"", Check.binding, "binding-differs"),
        Change("pay", "\"\"", Check.claims, "unexpected-length"),
        Change("pay", "\"AAAA\"", Check.claims, "unexpected-length"),
        Change("pay", "true", Check.claims, "unexpected-type"),
        Change("anno", "\"frida\"", Check.claims, "unexpected-type"),
        Change("anno", "[1]", Check.claims, "unexpected-type"),
        Change("anno", "[\"debug\",\"frida\"]", Check.annotations, "annotations-rejected"),
        Change("anno", "[\"debug\",\"tampered\"]", Check.tampering, "tampered"),
        Change("iss", "\"somebody\"", Check.issuer, "issuer-not-allowed"),
        Change("iss", "\"\"", Check.issuer, "issuer-not-allowed"),
        Change("iss", "1", Check.claims, "unexpected-type"),
        Change("aud", nil, Check.audience, "audience-missing"),
        Change("aud", "\"bank.example.com\"", Check.audience, "audience-differs"),
        Change("aud", "[]", Check.audience, "audience-differs"),
        Change("aud", "[\"API.example.com\",\"api.example.com.\"]", Check.audience, "audience-differs"),
        Change("aud", "[null]", Check.claims, "unexpected-type"),
        Change("sub", "{}", Check.claims, "unexpected-type"),
        Change("ipk", "\"====\"", Check.claims, "invalid-text"),
        Change("mskid", "1", Check.claims, "unexpected-type"),
        Change("mpk", "\"AAAA\"", Check.claims, "unexpected-length"),
        Change("imh", "1", Check.claims, "unexpected-type"),
        Change("dmh", "\"AAAAAAAAAAAAAAAAAAAAAA==\"", Check.claims, "unexpected-length"),
    ]

    @Test("A genuine token is accepted in either form, and every applicable check passes")
    func genuine() async throws {
        let signed = try await TokenFixtures.judge(TokenFixtures.token())
        #expect(signed.outcome == .accept)
        #expect(signed.checks.map(\.check) == ApproovCheck.signedTokenChecks)
        let asked = [ApproovCheck.issuer, ApproovCheck.annotations, ApproovCheck.account]
        #expect(signed.checks.filter { $0.status == .skipped }.map(\.check) == asked)
        #expect(signed.annotated == [])
        #expect(signed.tokenDetail(ApproovCheck.signature) == "with key approov")

        var settings = TokenFixtures.strict
        settings.format = .jwe
        let sealed = try await TokenFixtures.judge(TokenFixtures.jwe(TokenFixtures.claims.text), settings)
        #expect(sealed.outcome == .accept)
        #expect(sealed.checks.map(\.check) == ApproovCheck.encryptedTokenChecks)
        #expect(sealed.approov?.form == "jwe")
        #expect(sealed.tokenDetail(ApproovCheck.decryption) == "with key approov")
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
            ("\(good).", ApproovCheck.decode),
            (try TokenFixtures.jws(TokenFixtures.claims.text, header: #"{"alg":"HS384"}"#), ApproovCheck.key),
            (
                try TokenFixtures.jws(TokenFixtures.claims.text, by: TokenFixtures.hs256(TokenFixtures.otherSecret)),
                ApproovCheck.signature
            ),
            (try TokenFixtures.jws("[]"), ApproovCheck.claims),
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
        #expect(sealed.failed == [ApproovCheck.decryption])
        #expect(sealed.checks.map(\.check) == ApproovCheck.encryptedTokenChecks)
        #expect(sealed.subject == nil)
    }

    @Test("All failed policy checks are reported, and the mode of each is independent")
    func modes() async throws {
        var claims = TokenFixtures.claims
        claims["iss"] = "somebody"
        claims["anno"] = ["frida"]
        let token = try TokenFixtures.token(claims)
        #expect(try await TokenFixtures.judge(token).failed == [ApproovCheck.issuer, ApproovCheck.annotations])
        let relaxed = try await TokenFixtures.judge(
            token, modes: [ApproovCheck.issuer: .annotate, ApproovCheck.annotations: .off])
        #expect(relaxed.outcome == .accept)
        #expect(relaxed.annotated == [ApproovCheck.issuer])
        #expect(relaxed.tokenResult(ApproovCheck.annotations)?.because == .policy)
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
