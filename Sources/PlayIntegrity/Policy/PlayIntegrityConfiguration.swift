package import AssayCore
package import AssayHTTPSignatures
import AssayPrimitives

/// The policy for the Play Integrity evidence of one app. A class: all requests of the app share it.
package final class PlayIntegrityConfiguration: EngineConfiguration {
    /// The engine's name.
    package static let engine = "play-integrity"
    /// The field of an app in a policy file.
    package static let policyField = "playIntegrity"

    /// The party that ensures that the nonce of a classic token was issued and is used only once.
    package enum ChallengeSource: String, Sendable, CaseIterable {
        /// The ledger issues and consumes it.
        case ledger
        /// The caller compares it.
        case caller
    }

    /// The party that opens classic tokens.
    package enum TokenOpener: String, Sendable, CaseIterable {
        /// The verifier, with the app's response keys of the Play Console.
        case keys
        /// Google, as for standard tokens.
        case google
    }

    /// The party that vouches for Google's answers.
    package enum AnswerSource: String, Sendable, CaseIterable {
        /// Google: only answers that the verifier's own decoder received from Google are accepted.
        case google
        /// The caller: answers that come with the evidence are accepted as well.
        case caller
    }

    /// The allowed distance between the time of a token and the time of judgement, both ends included.
    package struct Freshness: Sendable, Equatable {
        /// The maximum age of a token, in seconds.
        package let past: Double
        /// The maximum lead over the server's clock, in seconds.
        package let future: Double

        /// Creates the window. The default follows the guidance: five minutes back and one ahead.
        package init(past: Double = 300, future: Double = 60) {
            self.past = past
            self.future = future
        }

        var pastMilliseconds: Int64 { Int64(past * 1000) }
        var futureMilliseconds: Int64 { Int64(future * 1000) }
    }

    /// A requirement for devices with at least some Android version.
    package struct DeviceRule: Sendable, Equatable {
        /// The lowest SDK version of the rule.
        package let minimumSDK: Int32
        /// The label that such a device must have. A stronger one is also accepted.
        package let require: IntegrityLabel

        /// Creates a rule.
        package init(minimumSDK: Int32, require: IntegrityLabel) {
            self.minimumSDK = minimumSDK
            self.require = require
        }

        /// The rules of the guidance: strong for Android 13 and later, a certified device for Android 9 to 12.
        package static let guidance = [
            DeviceRule(minimumSDK: 33, require: .strong), DeviceRule(minimumSDK: 28, require: .device),
        ]
    }

    /// The rules for an Android app. Payloads of PC games have none of these values.
    package struct AndroidRules: Sendable {
        /// The SHA-256 digests of the allowed signing certificates, 32 bytes each.
        package let certificateDigests: [[UInt8]]
        /// The version codes that are allowed.
        package let versions: VersionRules<Int64>
        /// The allowed app recognition verdicts.
        package let appRecognition: [IntegrityLabel]
        /// The device rules by Android version, highest first.
        package let deviceRecognition: [DeviceRule]
        /// Whether the policy states the device rules. Without them, those of the guidance apply; as long as Google does not tell a
        /// device's version of Android, its lowest rule does.
        package let statesDeviceRecognition: Bool
        /// The labels if a policy names none.
        package enum Defaults {
            /// The allowed verdicts on the app.
            package static let appRecognition: [IntegrityLabel] = [.playRecognized]
            /// The allowed verdicts of Play Protect.
            package static let playProtect: [IntegrityLabel] = [.noIssues, .noData]
            /// The rejected capabilities of other apps.
            package static let rejectedAccessRisks: [IntegrityLabel] = [
                .unknownCapturing, .unknownOverlays, .unknownControlling,
            ]
            /// The allowed location verdicts.
            package static let locationSpoofing: [IntegrityLabel] = [.lowRiskDevice, .lowRiskNetwork]
        }

        /// The lowest SDK version; nil for any.
        package let minimumSDKVersion: Int32?
        /// The highest activity level; nil for any.
        package let maximumDeviceActivity: IntegrityLabel?
        /// The bits of device recall that cause rejection if set.
        package let rejectedRecallBits: [DeviceRecallBit]
        /// The allowed verdicts of Play Protect.
        package let playProtect: [IntegrityLabel]
        /// The rejected capabilities of other apps. Unknown labels are rejected too.
        package let rejectedAccessRisks: [IntegrityLabel]
        /// The allowed location verdicts.
        package let locationSpoofing: [IntegrityLabel]

        /// Creates the rules. Defaults follow the guidance.
        ///
        /// - Parameter deviceRecognition: the device rules; nil for those of the guidance, see ``statesDeviceRecognition``.
        package init(
            certificateDigests: [[UInt8]], versions: VersionRules<Int64> = VersionRules(),
            appRecognition: [IntegrityLabel] = Defaults.appRecognition,
            deviceRecognition: [DeviceRule]? = nil,
            minimumSDKVersion: Int32? = nil, maximumDeviceActivity: IntegrityLabel? = nil,
            rejectedRecallBits: [DeviceRecallBit] = [], playProtect: [IntegrityLabel] = Defaults.playProtect,
            rejectedAccessRisks: [IntegrityLabel] = Defaults.rejectedAccessRisks,
            locationSpoofing: [IntegrityLabel] = Defaults.locationSpoofing
        ) {
            self.certificateDigests = certificateDigests
            self.versions = versions
            self.appRecognition = appRecognition
            statesDeviceRecognition = deviceRecognition != nil
            self.deviceRecognition = (deviceRecognition ?? DeviceRule.guidance).sorted { $0.minimumSDK > $1.minimumSDK }
            self.minimumSDKVersion = minimumSDKVersion
            self.maximumDeviceActivity = maximumDeviceActivity
            self.rejectedRecallBits = rejectedRecallBits
            self.playProtect = playProtect
            self.rejectedAccessRisks = rejectedAccessRisks
            self.locationSpoofing = locationSpoofing
        }
    }

    /// The package name.
    package let packageName: String
    /// The names of the keys; nil for all keys with the package name or the app's name as their scope.
    package let keys: [String]?
    /// The party that checks nonces.
    package let challenge: ChallengeSource
    /// The party that opens classic tokens; nil for the app's keys if there are any, otherwise Google.
    package let classicTokens: TokenOpener?
    /// The party that vouches for answers; nil for Google if the verifier can call it, otherwise the caller. In an app with
    /// tokens it is Google unless the policy says caller; see ``inForce(beside:)``.
    package let answers: AnswerSource?
    /// ``answers`` as the policy has it, for the analysis of captured evidence, which gives no token.
    let writtenAnswers: AnswerSource?
    /// The allowed distance between the time of a token and the time of judgement.
    package let freshness: Freshness
    /// The allowed licensing verdicts.
    package let licensing: [IntegrityLabel]
    /// The requirements for requests that carry tokens; nil if the app sends none.
    package let requests: RequestRules?
    /// The Android rules; nil for a game on PC.
    package let android: AndroidRules?

    /// The form of tokens, which selects Google's decode call.
    package var platform: IntegrityTokenForm { android == nil ? .pc : .android }

    /// Creates a configuration in code.
    ///
    /// - Parameter android: The rules for an Android app; nil for a game on PC.
    /// - Throws: ``PolicyError`` for an invalid package name or digest, an empty list of allowed values, or a duplicate
    ///   in a list.
    package init(
        packageName: String, android: AndroidRules?, keys: [String]? = nil, challenge: ChallengeSource = .ledger,
        classicTokens: TokenOpener? = nil, answers: AnswerSource? = nil, freshness: Freshness = Freshness(),
        licensing: [IntegrityLabel] = [.licensed], requests: RequestRules? = nil
    ) throws(PolicyError) {
        if let objection = PackageName.objection(to: packageName) {
            throw PolicyError(field: "packageName", objection)
        }
        guard classicTokens != .google || keys == nil else {
            throw PolicyError(
                field: "keys", "classicTokens: google has Google open classic tokens; the app needs no keys")
        }
        if let keys { try Self.demandList(keys.map { Array($0.utf8) }, "keys") }
        try Self.demandList(licensing, "licensing")
        for (seconds, field) in [(freshness.past, "freshness.past"), (freshness.future, "freshness.future")] {
            guard seconds >= 0, seconds <= Self.longestWindow else {
                throw PolicyError(field: field, "expected 0 to \(Int(Self.longestWindow)) seconds, found \(seconds)")
            }
        }
        try android?.validate()
        self.packageName = packageName
        self.android = android
        self.keys = keys
        self.challenge = challenge
        self.classicTokens = classicTokens
        self.answers = answers
        writtenAnswers = answers
        self.freshness = freshness
        self.licensing = licensing
        self.requests = requests
    }

    /// The same rules with other answers.
    private init(_ other: PlayIntegrityConfiguration, answers: AnswerSource) {
        packageName = other.packageName
        android = other.android
        keys = other.keys
        challenge = other.challenge
        classicTokens = other.classicTokens
        self.answers = answers
        writtenAnswers = other.writtenAnswers
        freshness = other.freshness
        licensing = other.licensing
        requests = other.requests
    }

    /// The rules in an app with other sections. Tokens carry an answer to services that never see the evidence: without a rule,
    /// only Google vouches for answers there.
    package func inForce(beside sections: [any EngineConfiguration]) -> any EngineConfiguration {
        guard answers == nil, sections.contains(where: { $0.givesTokens }) else { return self }
        return PlayIntegrityConfiguration(self, answers: .google)
    }

    /// Ten years in seconds: above any practical value, and within the range of 64-bit milliseconds.
    static let longestWindow: Double = 10 * 366 * 86_400

    /// Demands a list that is not empty and has no duplicates.
    static func demandList<Element: Hashable>(_ list: [Element], _ field: String) throws(PolicyError) {
        guard !list.isEmpty else { throw PolicyError(field: field, "expected at least one value, found none") }
        guard Set(list).count == list.count else { throw PolicyError(field: field, "a value is in the list twice") }
    }
}

extension PlayIntegrityConfiguration.AndroidRules {
    fileprivate func validate() throws(PolicyError) {
        typealias Configuration = PlayIntegrityConfiguration
        try Configuration.demandList(certificateDigests, "certificateDigests")
        for digest in certificateDigests where digest.count != 32 {
            throw PolicyError(
                field: "certificateDigests", "a SHA-256 digest has 32 bytes, found \(digest.count)")
        }
        try Configuration.demandList(appRecognition, "appRecognition")
        try Configuration.demandList(deviceRecognition.map(\.minimumSDK), "deviceRecognition")
        for rule in deviceRecognition where rule.require == .pc || !LabelField.deviceRecognition.contains(rule.require)
        {
            throw PolicyError(
                field: "deviceRecognition", "no device on Android meets \(rule.require.name.excerpt)")
        }
        if let level = maximumDeviceActivity, level.activityRank == nil {
            throw PolicyError(field: "maximumDeviceActivity", "\(level.name.excerpt) is no level")
        }
        guard Set(rejectedRecallBits).count == rejectedRecallBits.count else {
            throw PolicyError(field: "deviceRecall.reject", "a value is in the list twice")
        }
        try Configuration.demandList(playProtect, "playProtect")
        try Configuration.demandList(rejectedAccessRisks, "appAccessRisk.reject")
        try Configuration.demandList(locationSpoofing, "locationSpoofing.allow")
    }
}
