/// The kinds of raw blobs of App Attest.
enum AppAttestRawKind: String, CaseIterable {
    case attestation = "app-attest.attestation"
    case assertion = "app-attest.assertion"
    case receipt = "app-attest.receipt"

    /// The options that say what a policy would say.
    var policyOptions: Set<RawOption> {
        switch self {
        case .attestation: [.appID, .environment, .testRoot, .minimumOSVersion]
        case .assertion: [.appID, .environment, .testRoot, .challengeAt]
        case .receipt: [.appID, .environment, .testRoot]
        }
    }

    /// The options that are part of the evidence.
    var evidenceOptions: Set<RawOption> {
        switch self {
        case .attestation: [.keyID, .challenge, .clientDataHash]
        case .assertion: [.keyID, .clientData, .clientDataHash, .challenge, .publicKey, .counter]
        case .receipt: [.keyID]
        }
    }
}
