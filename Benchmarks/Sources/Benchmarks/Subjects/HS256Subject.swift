import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// What lies below the verification of a token that is a JWS with HS256: its steps, each by itself and one after the
/// other, without any rules of the token's issuer.
struct HS256Subject: Sendable {
    private let text: [UInt8]
    private let jws: CompactJWS
    private let key: JWSKey

    private static let gates = (1...4).map { CheckID("benchmark.token.gate-\($0)") }
    private static let policies = (1...8).map { CheckID("benchmark.token.policy-\($0)") }
    /// As a policy has them: one for each check that has modes.
    private static let modes = CheckModes(Dictionary(uniqueKeysWithValues: policies.map { ($0, .enforce) }))

    /// Signs a token of the length that issuers make.
    init() throws {
        let secret = SecretBytes((0..<64).map { UInt8($0) })
        let header = Base64.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8), .url)
        let claims = #"{"did":"h4gubfCFzJu81j/U2BJsdg==","exp":1795133040,"ip":"203.0.113.7","arc":"ABCDEF"}"#
        let input = "\(header).\(Base64.encode(Array(claims.utf8), .url))"
        let signature = HMAC.sha256(key: secret, Array(input.utf8)[...])
        text = Array("\(input).\(Base64.encode(signature, .url))".utf8)
        jws = try CompactJWS(text, limit: InputLimits.joseText)
        key = try JWSKey.hs256(secret)
    }

    /// All steps in their order.
    @Sendable func verify(_ count: Int) {
        for _ in 0..<count {
            do {
                let jws = try CompactJWS(text, limit: InputLimits.joseText)
                try key.verify(jws)
                let claims = try JSONReader.readObject(jws.payload, limit: InputLimits.joseText)
                require(claims.members.count == 4, "the claims")
            } catch {
                stop("\(error)")
            }
            require(assessment(of: checked()).isAcceptable, "the token does not hold")
        }
    }

    /// The steps, each by itself, in their order.
    var steps: [(name: String, work: @Sendable (Int) -> Void)] {
        let payload = jws.payload
        let results = checked()
        return [
            ("take the JWS apart", repeating { _ = try CompactJWS(text, limit: InputLimits.joseText) }),
            ("verify the MAC", repeating { try key.verify(jws) }),
            (
                "read the claims as JSON",
                repeating { _ = try JSONReader.readObject(payload, limit: InputLimits.joseText) }
            ),
            ("run twelve checks that pass", repeating { _ = checked() }),
            ("collect an assessment", repeating { require(assessment(of: results).isAcceptable, "the assessment") }),
        ]
    }

    private func checked() -> [CheckResult] {
        var run = CheckRun(modes: Self.modes, capacity: Self.gates.count + Self.policies.count)
        for check in Self.gates { _ = run.gate(check) { () throws(CheckFailure) in true } }
        for check in Self.policies { run.policy(check) { () throws(CheckFailure) in .passed } }
        return run.results
    }

    private func assessment(of results: [CheckResult]) -> Assessment {
        Assessment(
            kind: EvidenceKind("benchmark"), app: "benchmark", catalogue: [], checks: results, ledgerChecks: [],
            effects: [], subject: nil, testAuthority: nil)
    }
}
