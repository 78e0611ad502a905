public import FoundationEssentials

/// The Play Integrity test vectors: what must be accepted, and for every check what must fail it.
///
/// Each file of records is to be judged under the `policy.yaml` of its folder, as captured and in order, with a ledger
/// that is empty at its start; the expectation names every check that fails. The files in `unreadable` hold records that
/// have no verdict: reading or judging them is an error. The files in `keys` are those that the policies name; those that
/// are secret must be written so that nobody else can read them.
public enum PlayIntegrityVectors {
    /// All files, among them the policies and their keys.
    ///
    /// - Parameters:
    ///   - seed: Where the keys, nonces and IVs come from; nil for random ones. The same seed and time give the same bytes.
    ///   - time: When the evidence is received; fractions of a second are dropped.
    public static func files(seed: String? = nil, at time: Date) throws(MintingError) -> [VectorFile] {
        let mint = IntegrityVectorMint(
            seed: seed ?? PlayIntegrityTestKeys().decryptionKeyFile,
            time: Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down)))
        var files = IntegrityVectorPolicies(mint).files
        files += try IntegrityAcceptedVectors(mint).files()
        files += try IntegrityEncryptionVectors(mint).files()
        files += try IntegrityDecryptionVectors(mint).files()
        files += try IntegritySignatureVectors(mint).files()
        files += try IntegrityPayloadVectors(mint).files()
        files += try IntegrityRequestVectors(mint).files()
        files += try IntegrityAppVectors(mint).files()
        files += try IntegrityDeviceVectors(mint).files()
        files += try IntegrityStrictVectors(mint).files()
        files += try IntegrityLenientVectors(mint).files()
        files += try IntegrityKeyVectors(mint).files()
        files += try IntegrityStandardVectors(mint).files()
        files += try IntegrityPCVectors(mint).files()
        files += try IntegrityLedgerVectors(mint).files()
        files += try IntegrityUnreadableVectors(mint).files()
        return files
    }
}
