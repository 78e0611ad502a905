package import AssayTesting
package import FoundationEssentials

/// The Approov test vectors.
package enum ApproovVectors: VectorSet {
    package static let name = "approov"
    package static let abstract = "Writes Approov test vectors: records with their expectations, policies, test keys."
    package static let trust = """
        The tokens are signed and encrypted with test keys, which are those of no Approov account. Secrets are written so \
        that only you can read them, as `assay` demands of files with secrets.
        """

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = try ApproovVectorMint(seed: seed, time: time)
        return ApproovVectorPolicies(mint).files
            + (try mint.files([
                ApproovAcceptedVectors.self, ApproovDecodingVectors.self, ApproovKeyVectors.self,
                ApproovSignatureVectors.self, ApproovEncryptionVectors.self, ApproovClaimVectors.self,
                ApproovBindingVectors.self, ApproovPolicyVectors.self, ApproovLoggableVectors.self,
                ApproovAcceptedMessages.self, ApproovMessageVectors.self, ApproovSignatureFieldVectors.self,
                ApproovCoverageVectors.self, ApproovReplayVectors.self, ApproovProofVectors.self,
                ApproovUnreadableVectors.self,
            ]))
    }
}
