package import AssayTesting
package import FoundationEssentials

/// The Approov test vectors.
package enum ApproovVectors: VectorSet {
    package static let name = "approov"

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
