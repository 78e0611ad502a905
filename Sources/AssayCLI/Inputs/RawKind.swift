import ArgumentParser
import Assay

/// The kinds of evidence that can be handed over as one raw blob.
enum RawKind: String, CaseIterable, ExpressibleByArgument {
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

/// An option that only raw blobs have, by its name on the command line.
enum RawOption: String, CaseIterable {
    case appID = "--app-id"
    case environment = "--environment"
    case testRoot = "--test-root"
    case minimumOSVersion = "--minimum-os-version"
    case challengeAt = "--challenge-at"
    case keyID = "--key-id"
    case challenge = "--challenge"
    case clientDataHash = "--client-data-hash"
    case clientData = "--client-data"
    case publicKey = "--public-key"
    case counter = "--counter"
}
