package import AssayCore

extension TokenEngine {
    private static let proofChecks = [
        CheckID.assayTokenProof, CheckID.assayTokenBinding, CheckID.assayTokenFreshness, CheckID.assayTokenReplay,
    ]

    /// The challenge to a request with a token (RFC 6750 section 3, RFC 9449 section 7.1), and the nonce for the next proof where
    /// the policy demands one (RFC 9449 section 9).
    package static func challenge(_ verdict: Verdict) -> [SignedRequest.Field] {
        let fields = [SignedRequest.Field("WWW-Authenticate", authenticate(verdict))]
        let nonce = verdict.assayToken?.serverNonce
        return nonce.map { fields + [SignedRequest.Field("DPoP-Nonce", $0)] } ?? fields
    }

    /// The value of `WWW-Authenticate`: the scheme that the client should use, and what was wrong with what it sent.
    private static func authenticate(_ verdict: Verdict) -> String {
        let failed = verdict.checks.first { $0.status == .failed }
        // Without credentials there is no error to report (RFC 6750 section 3.1).
        guard let failed, failed.check != CheckID.assayTokenDecode || failed.finding?.code != "missing" else {
            return #"DPoP algs="ES256""#
        }
        guard proofChecks.contains(failed.check) else { return #"DPoP algs="ES256", error="invalid_token""# }
        let isNonce = ["nonce-required", "nonce-differs"].contains(failed.finding?.code)
        return #"DPoP algs="ES256", error="\#(isNonce ? "use_dpop_nonce" : "invalid_dpop_proof")""#
    }
}
