import ArgumentParser
import Assay

/// The kinds of evidence that can be handed over as one raw blob.
enum RawKind: String, CaseIterable, ExpressibleByArgument {
    case attestation = "app-attest.attestation"
    case assertion = "app-attest.assertion"
    case receipt = "app-attest.receipt"
    case classicToken = "play-integrity.classic"
    case standardToken = "play-integrity.standard"

    /// The options that say what a policy would say.
    var policyOptions: Set<RawOption> {
        switch self {
        case .attestation: [.appID, .environment, .testRoot, .minimumOSVersion]
        case .assertion: [.appID, .environment, .testRoot, .challengeAt]
        case .receipt: [.appID, .environment, .testRoot]
        case .classicToken: [.certificateDigest, .minimumVersionCode, .decryptionKey, .verificationKey]
        case .standardToken: [.certificateDigest, .minimumVersionCode, .pc]
        }
    }

    /// The options that are part of the evidence.
    var evidenceOptions: Set<RawOption> {
        switch self {
        case .attestation: [.keyID, .challenge, .clientDataHash]
        case .assertion: [.keyID, .clientData, .clientDataHash, .challenge, .publicKey, .counter]
        case .receipt: [.keyID]
        case .classicToken: [.packageName, .nonce]
        case .standardToken: [.packageName, .requestHash]
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
    case packageName = "--package-name"
    case nonce = "--nonce"
    case requestHash = "--request-hash"
    case certificateDigest = "--certificate-digest"
    case minimumVersionCode = "--minimum-version-code"
    case decryptionKey = "--decryption-key"
    case verificationKey = "--verification-key"
    case pc = "--pc"
}
