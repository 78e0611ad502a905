import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity

/// Genuine evidence of a shop's app, and its policy and verifier.
enum Fixtures {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let milliseconds: Int64 = 1_790_000_000_000
    static let packageName = "com.example.shop"
    static let nonceBytes = [UInt8](repeating: 0xFB, count: 32)
    static let nonce = Base64.encode(nonceBytes, .url)
    static let requestHash = "2cp24z..."
    static let digest = [UInt8](repeating: 0x6A, count: 32)
    static let keys = TokenFixture()

    /// Google's payload for a genuine app on a genuine device.
    static let android: JSON = [
        "requestDetails": [
            "requestPackageName": .text(packageName), "timestampMillis": .text("\(milliseconds)"),
            "nonce": .text(nonce),
        ],
        "appIntegrity": [
            "appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": .text(packageName),
            "certificateSha256Digest": [.text(Base64.encode(digest, .url))], "versionCode": "42",
        ],
        "deviceIntegrity": [
            "deviceRecognitionVerdict": ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"],
            "recentDeviceActivity": ["deviceActivityLevel": "LEVEL_1"],
            "deviceAttributes": ["sdkVersion": 35],
            "deviceRecall": [
                "values": ["bitFirst": false, "bitSecond": true, "bitThird": false],
                "writeDates": ["yyyymmSecond": 202_609],
            ],
        ],
        "accountDetails": ["appLicensingVerdict": "LICENSED"],
        "environmentDetails": [
            "appAccessRiskVerdict": ["appsDetected": ["KNOWN_INSTALLED"]], "playProtectVerdict": "NO_ISSUES",
            "locationSpoofingRiskVerdict": ["LOW_RISK_DEVICE"],
        ],
    ]

    /// The same, for a standard request.
    static var standard: JSON {
        var payload = android
        payload["requestDetails.nonce"] = nil
        payload["requestDetails.requestHash"] = .text(requestHash)
        return payload
    }

    /// Google's payload for a game in a genuine Google Play Games on PC.
    static let pc: JSON = [
        "requestDetails": [
            "requestPackageName": .text(packageName), "requestTime": "2026-09-21T14:13:20Z",
            "requestHash": .text(requestHash),
        ],
        "deviceIntegrity": ["deviceRecognitionVerdict": ["MEETS_PC_INTEGRITY"]],
        "accountDetails": ["appLicensingVerdict": "LICENSED"],
    ]

    /// Rules with every requirement.
    static func rules(
        minimumVersionCode: Int64? = 42, versions: VersionRules<Int64>? = nil,
        deviceRecognition: [PlayIntegrityConfiguration.DeviceRule] = PlayIntegrityConfiguration.DeviceRule.guidance,
        rejectedRecallBits: [DeviceRecallBit] = [.bitFirst]
    ) -> PlayIntegrityConfiguration.AndroidRules {
        var rules = PlayIntegrityConfiguration.AndroidRules(
            certificateDigests: [digest, [UInt8](repeating: 7, count: 32)],
            versions: versions ?? VersionRules(minimum: minimumVersionCode))
        rules.statedDeviceRecognition = deviceRecognition
        rules.minimumSDKVersion = 24
        rules.maximumDeviceActivity = "LEVEL_2"
        rules.rejectedRecallBits = rejectedRecallBits
        return rules
    }

    static func configuration(
        android: PlayIntegrityConfiguration.AndroidRules? = rules(), keys: [String]? = nil,
        challenge: PlayIntegrityConfiguration.ChallengeSource = .caller,
        classicTokens: PlayIntegrityConfiguration.TokenOpener? = nil,
        answers: PlayIntegrityConfiguration.AnswerSource? = nil,
        freshness: PlayIntegrityConfiguration.Freshness = .init(), requests: RequestRules? = nil
    ) throws -> PlayIntegrityConfiguration {
        try PlayIntegrityConfiguration(
            packageName: packageName, android: android, challenge: challenge
        ) {
            $0.keys = keys
            $0.classicTokens = classicTokens
            $0.answers = answers
            $0.freshness = freshness
            $0.requests = requests
        }
    }

    static func material(_ fixture: TokenFixture = keys) throws -> PlayIntegrityKeys {
        try PlayIntegrityKeys(parts: [
            "decryptionKey": SecretBytes(Array(Base64.encode(fixture.decryptionBytes, .standard).utf8)),
            "verificationKey": SecretBytes(Array(Base64.encode(fixture.verificationBytes, .standard).utf8)),
        ])
    }

    static func key(
        _ name: String = "play", _ fixture: TokenFixture = keys, scope: String? = packageName,
        window: KeyWindow = .always, retiredAt: Date? = nil
    ) throws -> NamedKey {
        NamedKey(name: name, scope: scope, window: window, retiredAt: retiredAt, material: try material(fixture))
    }

    /// A verifier with a policy of one app, which enforces every check by default.
    static func verifier(
        _ configuration: PlayIntegrityConfiguration? = nil, keys: [NamedKey]? = nil, modes: [CheckID: CheckMode]? = nil,
        ledger: any Ledger = MemoryLedger(), services: [any EngineService] = []
    ) throws -> Verifier {
        let enforced = PlayIntegrityCheck.catalogue.compactMap { definition -> CheckID? in
            if case .policy = definition.kind { definition.id } else { nil }
        }
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", try configuration ?? self.configuration())], keys: keys ?? [key()],
            modes: modes ?? Dictionary(uniqueKeysWithValues: enforced.map { ($0, .enforce) }),
            catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: ledger, services: services)
    }

    static func classic(_ payload: JSON = android) throws -> ClassicIntegrityInput {
        try classic(token: classicToken(payload))
    }

    static func classicToken(_ payload: JSON = android) throws -> String {
        try keys.token(Array(payload.rendered.utf8))
    }

    static func classic(token: String) throws -> ClassicIntegrityInput {
        ClassicIntegrityInput(token: token, packageName: packageName, nonce: nonce)
    }

    static func answer(_ payload: JSON) -> StandardIntegrityInput {
        answer(json: "{\"tokenPayloadExternal\":\(payload.rendered)}")
    }

    static func answer(json: String) -> StandardIntegrityInput {
        StandardIntegrityInput(
            packageName: packageName, requestHash: requestHash,
            evidence: .decoded(IntegrityAnswer(json: Array(json.utf8))))
    }
}

extension Verdict {
    /// The result of a check.
    func result(_ check: CheckID) -> CheckResult? { checks.first { $0.check == check } }

    /// The code of a check's finding.
    func code(_ check: CheckID) -> String? { result(check)?.finding?.code }
}
