package import AssayTesting
package import FoundationEssentials

/// The Play Integrity test vectors.
package enum PlayIntegrityVectors: VectorSet {
    package static let name = "play-integrity"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = IntegrityVectorMint(seed: seed, time: time)
        return IntegrityVectorPolicies(mint).files
            + (try mint.files([
                IntegrityAcceptedVectors.self, IntegrityEncryptionVectors.self, IntegrityDecryptionVectors.self,
                IntegritySignatureVectors.self, IntegrityPayloadVectors.self, IntegrityRequestVectors.self,
                IntegrityAppVectors.self, IntegrityDeviceVectors.self, IntegrityStrictVectors.self,
                IntegrityLenientVectors.self, IntegrityKeyVectors.self, IntegrityStandardVectors.self,
                IntegrityPCVectors.self, IntegrityLedgerVectors.self, IntegrityUnreadableVectors.self,
            ]))
    }
}
