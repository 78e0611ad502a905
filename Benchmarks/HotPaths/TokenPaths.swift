import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation

extension TokenEngine: MeasuredEngine {
    static var hotPaths: [HotPath] { TokenPaths.all }
    static var verifierPaths: [HotPath] { VerifierPaths.tokens }
}

/// Tokens: signing the claims of one, and verifying one.
enum TokenPaths {
    static let now = AppAttestPaths.now
    static let issuer = "https://attest.example.com"
    static let audience = "https://api.example.com"
    static let key = TestKey(.p256, seed: "hot paths", label: "tokens/issuer")

    static var all: [HotPath] {
        [
            HotPath("issue-token", count: 100, signer) { (subject) throws in
                let token = subject.signer.sign(subject.claims.json)
                try require(token?.isEmpty == false, "no token")
            }
        ]
    }

    private static func signer() throws -> (signer: TokenSigner, claims: TokenClaims) {
        (
            try TokenSigner(ECDSAPrivateKey(scalar: SecretBytes([UInt8](repeating: 7, count: 32)))),
            try TokenClaims(blueprint(0).claims.encoded)
        )
    }

    static func blueprint(_ number: Int) -> AssayTokenBlueprint {
        AssayTokenBlueprint(
            key: key, client: key, issuer: issuer, audience: audience, app: "shop", id: "\(number)", issuedAt: now)
    }

    /// A request with a bearer token.
    static func bearer(_ number: Int) throws -> SignedRequest {
        var blueprint = blueprint(number)
        blueprint.claims["cnf"] = nil
        blueprint.scheme = "Bearer"
        blueprint.changeFields = { $0.removeAll { $0.name == "DPoP" } }
        return try blueprint.mint().request
    }

    static func keys() throws -> [NamedKey] {
        let set = SecretBytes(Array(AssayTokenBlueprint.keySet([key]).utf8))
        return [NamedKey(name: "issuer", material: try TokenKey(parts: [TokenKey.keySetPart: set]))]
    }
}
