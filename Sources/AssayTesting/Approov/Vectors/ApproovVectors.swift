public import FoundationEssentials

/// The Approov test vectors: what must be accepted, and for every check what must fail it.
///
/// Each file of records is to be judged under the `policy.yaml` of its folder, as captured and in order, with a ledger
/// that is empty at its start; the expectation names every check that fails. The files in `unreadable` hold records that
/// have no verdict: reading or judging them is an error. The files in `keys` are those that the policies name; those that
/// are secret must be written so that nobody else can read them.
public enum ApproovVectors {
    /// All files, among them the policies and their keys.
    ///
    /// - Parameters:
    ///   - seed: Where the keys, nonces and IVs come from; nil for random ones. The same seed and time give the same bytes.
    ///   - time: When the evidence is received; fractions of a second are dropped.
    public static func files(seed: String? = nil, at time: Date) throws(MintingError) -> [VectorFile] {
        let mint = try ApproovVectorMint(
            seed: seed ?? ApproovTestKeys.secretFile(of: ApproovTestKeys.newSecret()),
            time: Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down)))
        var files = ApproovVectorPolicies(mint).files
        files += try ApproovAcceptedVectors(mint).files()
        files += try ApproovDecodingVectors(mint).files()
        files += try ApproovKeyVectors(mint).files()
        files += try ApproovSignatureVectors(mint).files()
        files += try ApproovEncryptionVectors(mint).files()
        files += try ApproovClaimVectors(mint).files()
        files += try ApproovBindingVectors(mint).files()
        files += try ApproovPolicyVectors(mint).files()
        files += try ApproovLoggableVectors(mint).files()
        files += try ApproovAcceptedMessages(mint).files()
        files += try ApproovMessageVectors(mint).files()
        files += try ApproovSignatureFieldVectors(mint).files()
        files += try ApproovCoverageVectors(mint).files()
        files += try ApproovReplayVectors(mint).files()
        files += try ApproovProofVectors(mint).files()
        files += try ApproovUnreadableVectors(mint).files()
        return files
    }
}
