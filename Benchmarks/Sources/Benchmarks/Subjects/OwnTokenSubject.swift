import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Crypto
import Foundation
import JWTKit

/// Tokens of the type `assay+jwt`, bearer tokens: what issuing and verifying them takes, and what lies below.
struct OwnTokenSubject: Sendable {
    private static let (issuer, audience) = ("https://attest.example.com", "https://api.example.com")
    private static let count = 64

    private let now: Date
    private let verifier: Verifier
    private let requests: [SignedRequest]
    private let tokens: [String]
    private let signer: TokenSigner
    private let claims: TokenClaims
    private let privateKey: P256.Signing.PrivateKey
    private let publicKey: P256.Signing.PublicKey
    /// What is signed, with its signature.
    private let signed: [(input: [UInt8], signature: P256.Signing.ECDSASignature)]
    private let peer: JWTKeyCollection

    init(now: Date) async throws {
        self.now = now
        let key = TestKey(.p256, seed: "benchmarks", label: "tokens/issuer")
        let client = TestKey(.p256, seed: "benchmarks", label: "tokens/client")
        func blueprint(_ number: Int) -> AssayTokenBlueprint {
            AssayTokenBlueprint(
                key: key, client: client, issuer: Self.issuer, audience: Self.audience, app: "shop", id: "\(number)",
                issuedAt: now)
        }
        let minted = try (0..<Self.count).map { number in
            var blueprint = blueprint(number)
            blueprint.claims["cnf"] = nil
            blueprint.scheme = "Bearer"
            blueprint.changeFields = { $0.removeAll { $0.name == "DPoP" } }
            return try blueprint.mint()
        }
        requests = minted.map(\.request)
        tokens = minted.map(\.token)
        signed = try minted.map { minted in
            let jws = try CompactJWS(Array(minted.token.utf8), limit: InputLimits.joseText)
            let input = minted.token.prefix(upTo: minted.token.lastIndex(of: ".") ?? minted.token.startIndex)
            return (Array(input.utf8), try P256.Signing.ECDSASignature(rawRepresentation: jws.signature))
        }
        let configuration = TokenConfiguration(issuer: Self.issuer, audiences: [Self.audience]) { $0.key = .optional }
        let set = SecretBytes(Array(AssayTokenBlueprint.keySet([key]).utf8))
        let keys = [NamedKey(name: "issuer", material: try TokenKey(parts: [TokenKey.keySetPart: set]))]
        verifier = Verifier(
            policy: try VerificationPolicy(
                apps: [PolicyApp(name: "shop", configurations: [configuration])], catalogue: Verifier.catalogue),
            ledger: MemoryLedger(), keyStores: [StaticKeyStore(keys)])
        let scalar = [UInt8](repeating: 7, count: 32)
        signer = try TokenSigner(ECDSAPrivateKey(scalar: SecretBytes(scalar)))
        claims = try TokenClaims(blueprint(0).claims.encoded)
        privateKey = try P256.Signing.PrivateKey(rawRepresentation: scalar)
        publicKey = try P256.Signing.PublicKey(x963Representation: key.publicPoint)
        peer = JWTKeyCollection()
        await peer.add(
            ecdsa: try ES256PublicKey(pem: publicKey.pemRepresentation),
            kid: JWKIdentifier(string: JWKThumbprint.p256(key.publicPoint)))
    }

    /// Judges tokens, from the fields of a request to the verdict.
    @Sendable func verify(_ count: Int) async throws {
        for index in 0..<count {
            let verdict = try await verifier.verifyTokenRequest(requests[index % requests.count], at: now)
            require(verdict.outcome == .accept, "the token does not hold")
        }
    }

    /// The signatures of the tokens alone, with a parsed key and parsed signatures.
    @Sendable func verifySignatures(_ count: Int) async throws {
        for index in 0..<count {
            let (input, signature) = signed[index % signed.count]
            require(publicKey.isValidSignature(signature, for: input), "P-256")
        }
    }

    /// The verification of jwt-kit.
    @Sendable func verifyByJWTKit(_ count: Int) async throws {
        for index in 0..<count {
            let claims = try await peer.verify(tokens[index % tokens.count], as: Claims.self)
            require(claims.app == "shop", "jwt-kit")
        }
    }

    /// Writes the claims of a token and signs them.
    @Sendable func issue(_ count: Int) {
        for _ in 0..<count { require(signer.sign(claims.json)?.isEmpty == false, "no token") }
    }

    /// Signs as many bytes.
    @Sendable func sign(_ count: Int) {
        for _ in 0..<count { require((try? privateKey.signature(for: signed[0].input)) != nil, "no signature") }
    }

    private struct Claims: JWTPayload {
        let iss: IssuerClaim
        let aud: AudienceClaim
        let exp: ExpirationClaim
        let app: String

        func verify(using algorithm: some JWTAlgorithm) async throws {
            try exp.verifyNotExpired()
            try aud.verifyIntendedAudience(includes: OwnTokenSubject.audience)
            guard iss.value == OwnTokenSubject.issuer else {
                throw JWTError.claimVerificationFailure(failedClaim: iss, reason: "another issuer")
            }
        }
    }
}
