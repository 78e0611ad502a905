package import AssayCore

/// What a policy demands of the Play Integrity evidence of one app.
///
/// A class, since every request of the app looks at the same one.
package final class PlayIntegrityConfiguration: EngineConfiguration {
    /// The engine's name.
    package static let engine = "play-integrity"
    /// The field of an app in a policy file.
    package static let policyField = "playIntegrity"

    /// Who sees to it that the nonce of a classic token was issued and is used once.
    package enum ChallengeSource: String, Sendable, CaseIterable {
        /// The ledger issued it and consumes it.
        case ledger
        /// The caller compares it.
        case caller
    }

    /// Who vouches for Google's answers on standard tokens.
    package enum AnswerSource: String, Sendable, CaseIterable {
        /// Only answers that the verifier's own decoder got from Google are taken.
        case google
        /// Answers that come with the evidence are taken as well.
        case caller
    }

    /// How far the time of a token may be from that of judgement, both ends included.
    package struct Freshness: Sendable, Equatable {
        /// How old a token may be, in seconds.
        package let past: Double
        /// How far ahead of the server's clock it may be, in seconds.
        package let future: Double

        /// States the window; without arguments that of the guidance, five minutes back and one ahead.
        package init(past: Double = 300, future: Double = 60) {
            self.past = past
            self.future = future
        }

        var pastMilliseconds: Int64 { Int64(past * 1000) }
        var futureMilliseconds: Int64 { Int64(future * 1000) }
    }

    /// What is demanded of devices from some version of Android on.
    package struct DeviceRule: Sendable, Equatable {
        /// The lowest SDK version that the rule is for.
        package let minimumSDK: Int32
        /// The label that such a device must meet; a stronger one will do.
        package let require: DeviceIntegrityLabel

        /// States a rule.
        package init(minimumSDK: Int32, require: DeviceIntegrityLabel) {
            self.minimumSDK = minimumSDK
            self.require = require
        }

        /// The rule of the guidance: Android 13 and later must be strong, Android 9 to 12 a certified device.
        package static let guidance = [
            DeviceRule(minimumSDK: 33, require: .strong), DeviceRule(minimumSDK: 28, require: .device),
        ]
    }

    /// What is demanded of an app on Android, which no payload of a PC says anything about.
    package struct AndroidRules: Sendable {
        /// The SHA-256 of the signing certificates that are allowed, 32 bytes each.
        package let certificateDigests: [[UInt8]]
        /// The lowest version code, and nil for any.
        package let minimumVersionCode: Int64?
        /// The verdicts on the app that are allowed.
        package let appRecognition: [AppRecognition]
        /// What devices must meet, by version of Android, highest first.
        package let deviceRecognition: [DeviceRule]
        /// The lowest SDK version, and nil for any.
        package let minimumSDKVersion: Int32?
        /// The highest level of activity, and nil for any.
        package let maximumDeviceActivity: DeviceActivityLevel?
        /// The bits of device recall that must not be set.
        package let rejectedRecallBits: [DeviceRecallBit]
        /// The verdicts of Play Protect that are allowed.
        package let playProtect: [PlayProtectVerdict]
        /// What other apps must not be able to do. Labels that nobody knows count as well.
        package let rejectedAccessRisks: [AppAccessRisk]
        /// The verdicts on the location that are allowed.
        package let locationSpoofing: [LocationSpoofingRisk]

        /// States the rules. What has a default follows the guidance.
        package init(
            certificateDigests: [[UInt8]], minimumVersionCode: Int64? = nil,
            appRecognition: [AppRecognition] = [.playRecognized], deviceRecognition: [DeviceRule] = DeviceRule.guidance,
            minimumSDKVersion: Int32? = nil, maximumDeviceActivity: DeviceActivityLevel? = nil,
            rejectedRecallBits: [DeviceRecallBit] = [], playProtect: [PlayProtectVerdict] = [.noIssues, .noData],
            rejectedAccessRisks: [AppAccessRisk] = [.unknownCapturing, .unknownOverlays, .unknownControlling],
            locationSpoofing: [LocationSpoofingRisk] = [.lowRiskDevice, .lowRiskNetwork]
        ) {
            self.certificateDigests = certificateDigests
            self.minimumVersionCode = minimumVersionCode
            self.appRecognition = appRecognition
            self.deviceRecognition = deviceRecognition.sorted { $0.minimumSDK > $1.minimumSDK }
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
    /// The names of the keys, and nil for all keys whose scope is the package name or the app's name.
    package let keys: [String]?
    /// Who sees to nonces.
    package let challenge: ChallengeSource
    /// Who vouches for answers; nil for Google if the verifier can ask it, otherwise the caller.
    package let answers: AnswerSource?
    /// How far the time of a token may be off.
    package let freshness: Freshness
    /// The licensing verdicts that are allowed.
    package let licensing: [AppLicensing]
    /// What is demanded on Android, and nil for a game on PC.
    package let android: AndroidRules?

    /// Which form of tokens is judged, and which of Google's calls decodes them.
    package var platform: IntegrityTokenForm { android == nil ? .pc : .android }

    /// Composes a configuration in code.
    ///
    /// - Parameters:
    ///   - android: what is demanded of an app on Android; nil for a game on PC.
    /// - Throws: ``PolicyError`` when the package name is none, a digest is no SHA-256, nothing is allowed, or something
    ///   stands in a list twice.
    package init(
        packageName: String, android: AndroidRules?, keys: [String]? = nil, challenge: ChallengeSource = .ledger,
        answers: AnswerSource? = nil, freshness: Freshness = Freshness(), licensing: [AppLicensing] = [.licensed]
    ) throws(PolicyError) {
        if let objection = PackageName.objection(to: packageName) {
            throw PolicyError(field: "packageName", objection)
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
        self.answers = answers
        self.freshness = freshness
        self.licensing = licensing
    }

    /// Ten years, in seconds: far beyond every use, and far below what milliseconds in 64 bits can hold.
    static let longestWindow: Double = 10 * 366 * 86_400

    /// Demands that a list has something in it, and nothing twice.
    static func demandList<Element: Hashable>(_ list: [Element], _ field: String) throws(PolicyError) {
        guard !list.isEmpty else { throw PolicyError(field: field, "expected at least one value, found none") }
        guard Set(list).count == list.count else { throw PolicyError(field: field, "a value stands in the list twice") }
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
        for rule in deviceRecognition where rule.require == .pc || !rule.require.isKnown {
            throw PolicyError(
                field: "deviceRecognition", "no device on Android meets \(rule.require.name.excerpt)")
        }
        if let level = maximumDeviceActivity, level.rank == nil {
            throw PolicyError(field: "maximumDeviceActivity", "\(level.name.excerpt) is no level")
        }
        guard Set(rejectedRecallBits).count == rejectedRecallBits.count else {
            throw PolicyError(field: "deviceRecall.reject", "a value stands in the list twice")
        }
        try Configuration.demandList(playProtect, "playProtect")
        try Configuration.demandList(rejectedAccessRisks, "appAccessRisk.reject")
        try Configuration.demandList(locationSpoofing, "locationSpoofing.allow")
    }
}
