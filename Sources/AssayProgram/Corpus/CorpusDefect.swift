/// The kinds of evidence in a corpus. PC games are a kind of their own, because other checks apply to them.
enum CorpusPopulation: Int, CaseIterable, Sendable {
    case attestation
    case assertion
    case receipt
    case classic
    case standard
    case pc
    case keyAttestation
    case keyRequest

    /// The common prefix of the names of its checks.
    var prefix: String {
        switch self {
        case .attestation: "app-attest.attestation"
        case .assertion: "app-attest.assertion"
        case .receipt: "app-attest.receipt"
        case .classic, .standard, .pc: "play-integrity"
        case .keyAttestation: "android-key.attestation"
        case .keyRequest: "android-key.request"
        }
    }

    /// The kind in the names of records.
    var word: String {
        switch self {
        case .attestation: "attestation"
        case .assertion: "assertion"
        case .receipt: "receipt"
        case .classic: "classic"
        case .standard, .pc: "standard"
        case .keyAttestation: "key-attestation"
        case .keyRequest: "key-request"
        }
    }

    /// The defects that records can have. Blocks and ledger challenges are excluded: no record causes them.
    var defects: [CorpusDefect] {
        switch self {
        case .attestation:
            [
                .decode, .chain, .publicKey, .nonce, .keyID, .credentialID, .appID, .environment, .counter, .receipt,
                .validationCategory, .bundleVersion, .osVersion, .platform, .enrolment,
            ]
        case .assertion:
            [.decode, .key, .signature, .appID, .clientData, .validationCategory, .bundleVersion, .counter]
        case .receipt: [.decode, .signature, .chain, .appID, .publicKey, .environment, .freshness, .riskMetric]
        case .classic:
            [.decode, .decryption, .signature, .payload, .requestPackage, .nonce, .freshness, .testingResponse]
                + Self.android
        case .standard:
            [.decode, .payload, .requestPackage, .requestHash, .freshness, .testingResponse] + Self.android
                + [.challenge]
        case .pc:
            [
                .decode, .payload, .requestPackage, .requestHash, .freshness, .testingResponse, .licensing,
                .pcIntegrity, .challenge,
            ]
        case .keyAttestation:
            [
                .decode, .chain, .target, .extension, .publicKey, .challengeBinding, .securityLevel, .version,
                .rootOfTrust, .osVersion, .patchLevel, .application, .origin, .purpose, .keyScope, .enrolment,
            ]
        case .keyRequest: [.decode, .components, .freshness, .contentDigest, .key, .signature, .replay]
        }
    }

    private static let android: [CorpusDefect] = [
        .appRecognition, .appPackage, .certificate, .versionCode, .deviceRecognition, .sdkVersion, .deviceActivity,
        .deviceRecall, .licensing, .playProtect, .appAccessRisk, .locationSpoofing,
    ]

    /// The name of the first check that fails because of a defect.
    func check(_ defect: CorpusDefect) -> String { "\(prefix).\(defect.rawValue)" }

    /// The ledger check that fails when accepted evidence is sent again; nil if no check detects this.
    var repetition: CorpusDefect? {
        switch self {
        case .attestation: .enrolment
        case .assertion: .counter
        case .standard, .pc: .challenge
        case .keyAttestation: .enrolment
        case .keyRequest: .replay
        case .receipt, .classic: nil
        }
    }
}

/// A defect of evidence. The raw value is the last part of the name of the check that fails first.
enum CorpusDefect: String, Sendable {
    case decode, chain, nonce, environment, counter, receipt, platform, enrolment, key, signature, freshness
    case decryption, payload, certificate, licensing, challenge
    case target, `extension`, version, application, origin, purpose, components, replay
    case publicKey = "public-key"
    case keyID = "key-id"
    case credentialID = "credential-id"
    case appID = "app-id"
    case validationCategory = "validation-category"
    case bundleVersion = "bundle-version"
    case osVersion = "os-version"
    case clientData = "client-data"
    case riskMetric = "risk-metric"
    case requestPackage = "request-package"
    case requestHash = "request-hash"
    case testingResponse = "testing-response"
    case appRecognition = "app-recognition"
    case appPackage = "app-package"
    case versionCode = "version-code"
    case deviceRecognition = "device-recognition"
    case sdkVersion = "sdk-version"
    case deviceActivity = "device-activity"
    case deviceRecall = "device-recall"
    case playProtect = "play-protect"
    case appAccessRisk = "app-access-risk"
    case locationSpoofing = "location-spoofing"
    case pcIntegrity = "pc-integrity"
    case challengeBinding = "challenge-binding"
    case securityLevel = "security-level"
    case rootOfTrust = "root-of-trust"
    case patchLevel = "patch-level"
    case keyScope = "key-scope"
    case contentDigest = "content-digest"
}
