import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation

extension TokenEngine: FuzzedSection {
    static var targets: [FuzzTarget] { [.tokenClaims] }

    private static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let key = TestKey(.p256, seed: "fuzz", label: "tokens/issuer")

    static func blueprint() -> AssayTokenBlueprint {
        AssayTokenBlueprint(
            key: key, client: TestKey(.p256, seed: "fuzz", label: "tokens/client"),
            issuer: "https://attest.example.com", audience: "https://api.example.com", app: "shop", id: "fuzz",
            issuedAt: now)
    }

    static var records: [[UInt8]] {
        do {
            let minted = try blueprint().mint()
            return [Array(minted.record(id: "token", app: "shop", receivedAt: now).jsonLine.utf8)]
        } catch { FuzzTarget.broken("no token: \(error)") }
    }

    static var policy: VerificationPolicy {
        do {
            let configuration = TokenConfiguration(
                issuer: "https://attest.example.com", audiences: ["https://api.example.com"])
            let keySet = SecretBytes(Array(AssayTokenBlueprint.keySet([key]).utf8))
            return try VerificationPolicy(
                apps: [PolicyApp(name: "shop", configuration)],
                keys: [NamedKey(name: "issuer", material: TokenKey(parts: [TokenKey.keySetPart: keySet]))],
                catalogue: Verifier.catalogue)
        } catch { FuzzTarget.broken("no policy: \(error)") }
    }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: shop
                tokens:
                  issuer: https://attest.example.com
                  audiences: [https://api.example.com, other]
                  acceptedAudiences: [other]
                  life: 10m
                  key: optional
                  nonce: required
                  limitedUse: "yes"
                  testAuthorities: allow
                  enforcement: annotate

            """
        ]
    }
}

extension FuzzTarget {
    /// The claims of a token: what is read is what is written, so that issuer and verifier agree.
    static let tokenClaims = FuzzTarget(
        name: "token-claims", maximumLength: 2048,
        dictionary: ["iss", "aud", "exp", "iat", "jti", "cnf", "jkt", "att", "annotated", "once"],
        seeds: {
            var blueprint = TokenEngine.blueprint()
            let bound = blueprint.claims.encoded
            blueprint.claims["cnf"] = nil
            blueprint.claims["use"] = "once"
            blueprint.claims["env"] = "test"
            return [bound, blueprint.claims.encoded]
        },
        run: { input in
            guard let claims = try? TokenClaims(input) else { return false }
            require((try? TokenClaims(claims.json)) == claims, "the claims do not survive being written and read")
            return true
        })
}
