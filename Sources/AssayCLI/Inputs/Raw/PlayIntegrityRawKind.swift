/// The kinds of raw tokens of Play Integrity.
enum PlayIntegrityRawKind: String, CaseIterable {
    case classic = "play-integrity.classic"
    case standard = "play-integrity.standard"

    /// The options that say what a policy would say.
    var policyOptions: Set<RawOption> {
        switch self {
        case .classic: [.certificateDigest, .minimumVersionCode, .decryptionKey, .verificationKey]
        case .standard: [.certificateDigest, .minimumVersionCode, .pc]
        }
    }

    /// The options that are part of the evidence.
    var evidenceOptions: Set<RawOption> {
        switch self {
        case .classic: [.packageName, .nonce]
        case .standard: [.packageName, .requestHash]
        }
    }
}
