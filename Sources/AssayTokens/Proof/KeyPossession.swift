import AssayCore
import FoundationEssentials

/// The proof that the client of a request for a token has the private key that the token will name (ABCA section 1.1: the attester
/// validates it). The evidence covers the public key only.
enum KeyPossession {
    /// The path of the endpoint below the issuer.
    static let path = "/v1/tokens"

    /// Verifies the proof of a request. Client attestations need one; other tokens are presented with a proof of their key, and a
    /// request that has one all the same is refused if it is wrong.
    ///
    /// The challenge of the request makes the proof fresh: the evidence consumes it.
    static func require(
        of request: TokenRequest, _ configuration: TokenConfiguration, at now: Date
    ) throws(RequestError) {
        guard let text = request.keyProof else {
            guard configuration.shape.format == .clientAttestation else { return }
            throw RequestError(
                .invalidKeyProof,
                "a client attestation needs keyProof: a DPoP proof by the key of jwk with htm POST, htu \(configuration.issuer)\(path) "
                    + "and the challenge as nonce")
        }
        do throws(CheckFailure) {
            let proof = try DPoPProof(text)
            try proof.verify()
            try require(proof, request, issuer: configuration.issuer, at: now)
        } catch {
            throw RequestError(.invalidKeyProof, "keyProof: \(error.finding.detail)")
        }
    }

    private static func require(
        _ proof: DPoPProof, _ request: TokenRequest, issuer: String, at now: Date
    ) throws(CheckFailure) {
        guard let expected = request.keyThumbprint, proof.thumbprint.isByteEqual(to: expected) else {
            throw CheckFailure(
                .proofKeyDiffers,
                "key \(proof.thumbprint) signed it, and the request names \(request.keyThumbprint ?? "no key")")
        }
        guard proof.method.isByteEqual(to: "POST") else {
            throw CheckFailure(.proofMethodDiffers, "expected htm POST, found \(proof.method.excerpt)")
        }
        guard let target = ProofTarget(proof.target), target == ProofTarget(issuer + path) else {
            throw CheckFailure(
                .proofTargetDiffers, "expected htu \(issuer)\(path), found \"\(proof.target.excerpt)\"")
        }
        guard let nonce = proof.nonce, nonce.isByteEqual(to: request.challenge) else {
            throw CheckFailure(.nonceDiffers, "expected the challenge of the request as nonce")
        }
        try TokenAssessor.requireTime(of: proof, at: now)
    }
}
