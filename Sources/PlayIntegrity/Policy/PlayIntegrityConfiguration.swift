package import AssayCore

/// The policy for the Play Integrity evidence of one app. A class: all requests of the app share it.
@dynamicMemberLookup
package final class PlayIntegrityConfiguration: EngineConfiguration {
    package static let engine = "play-integrity"
    package static let policyField = "playIntegrity"

    package typealias ChallengeSource = AssayCore.ChallengeSource

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

    /// Whether test responses are accepted.
    package enum TestRule: String, Sendable, CaseIterable {
        /// None is.
        case refuse
        /// They are, and the verdict says so.
        case allow
    }

    /// The allowed distance between the time of a token and the time of judgement, both ends included.
    package struct Freshness: Sendable, Equatable {
        /// The maximum age of a token, in seconds.
        package var past: Double
        /// The maximum lead over the server's clock, in seconds.
        package var future: Double

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

        package init(minimumSDK: Int32, require: IntegrityLabel) {
            self.minimumSDK = minimumSDK
            self.require = require
        }

        /// The rules of the guidance: strong for Android 13 and later, a certified device for Android 9 to 12.
        package static let guidance = [
            DeviceRule(minimumSDK: 33, require: .strong), DeviceRule(minimumSDK: 28, require: .device),
        ]
    }

    /// Whether a block in the ledger bans the device, too.
    package enum BlockRule: String, Sendable, CaseIterable {
        /// Blocks do not change the bits.
        case none
        /// The next token of a blocked account sets the first bit that is rejected.
        case ban
    }

    /// The rules for an Android app, with defaults that follow the guidance. Payloads of PC games have none of these values.
    package struct AndroidRules: Sendable {
        package var certificateDigests: [[UInt8]]
        package var versions = VersionRules<Int64>()
        package var appRecognition: [IntegrityLabel] = [.playRecognized]
        /// The device rules by Android version, highest first.
        package private(set) var deviceRecognition = DeviceRule.guidance
        /// The device rules that the policy states. Without them, those of the guidance apply; as long as Google does not tell a
        /// device's version of Android, its lowest rule does.
        package var statedDeviceRecognition: [DeviceRule]? {
            didSet {
                deviceRecognition = (statedDeviceRecognition ?? DeviceRule.guidance).sorted {
                    $0.minimumSDK > $1.minimumSDK
                }
            }
        }
        package var statesDeviceRecognition: Bool { statedDeviceRecognition != nil }
        /// The lowest SDK version; nil for any.
        package var minimumSDKVersion: Int32?
        /// The highest activity level; nil for any.
        package var maximumDeviceActivity: IntegrityLabel?
        package var rejectedRecallBits: [DeviceRecallBit] = []
        package var blocks = BlockRule.none
        package var playProtect: [IntegrityLabel] = [.noIssues, .noData]
        /// The rejected capabilities of other apps. Unknown labels are rejected too.
        package var rejectedAccessRisks: [IntegrityLabel] = [.unknownCapturing, .unknownOverlays, .unknownControlling]
        package var locationSpoofing: [IntegrityLabel] = [.lowRiskDevice, .lowRiskNetwork]

        /// The bit that bans the device of a blocked account; nil if blocks ban no device.
        package var banningBit: DeviceRecallBit? { blocks == .ban ? rejectedRecallBits.first : nil }

        package init(certificateDigests: [[UInt8]], versions: VersionRules<Int64> = VersionRules()) {
            self.certificateDigests = certificateDigests
            self.versions = versions
        }
    }

    /// The fields of the section, with their defaults. ``table`` describes them.
    package struct Values: Sendable {
        package var packageName = ""
        /// The names of the keys; nil for all keys with the package name or the app's name as their scope.
        package var keys: [String]?
        package var challenge = ChallengeSource.ledger
        /// The party that opens classic tokens; nil for the app's keys if there are any, otherwise Google.
        package var classicTokens: TokenOpener?
        /// The party that vouches for answers; nil for Google if the verifier can call it, otherwise the caller. In an app with
        /// tokens it is Google unless the policy says caller; see ``inForce(beside:)``.
        package var answers: AnswerSource?
        package var freshness = Freshness()
        package var licensing: [IntegrityLabel] = [.licensed]
        /// Whether test responses are accepted: those that the Play Console gives to testers, and those of a test Google.
        package var testResponses = TestRule.refuse
        /// The requirements for requests that carry tokens; nil if the app sends none.
        package var requests: RequestRules?
        /// The Android rules; nil for a game on PC.
        package var android: AndroidRules? = AndroidRules(certificateDigests: [])
        /// The form of tokens, which selects Google's decode call.
        package var platform: IntegrityTokenForm {
            get { android == nil ? .pc : .android }
            set { if newValue == .pc { android = nil } }
        }
    }

    package let values: Values
    /// `answers` as the policy has it, for the analysis of captured evidence, which gives no token.
    let writtenAnswers: AnswerSource?

    /// A field: `configuration.packageName`.
    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    /// Creates a configuration in code.
    /// - Parameter android: The rules for an Android app; nil for a game on PC.
    /// - Throws: ``PolicyError`` for an invalid package name or digest, an empty list of allowed values, or a duplicate
    ///   in a list.
    package convenience init(
        packageName: String, android: AndroidRules?, challenge: ChallengeSource = .ledger,
        _ others: (inout Values) -> Void = { _ in }
    ) throws(PolicyError) {
        var values = Values()
        values.packageName = packageName
        values.android = android
        values.challenge = challenge
        others(&values)
        try self.init(values)
    }

    init(_ values: Values) throws(PolicyError) {
        if let objection = PackageName.objection(to: values.packageName) {
            throw PolicyError(field: "packageName", objection)
        }
        guard values.classicTokens != .google || values.keys == nil else {
            throw PolicyError(
                field: "keys", "classicTokens: google has Google open classic tokens; the app needs no keys")
        }
        if let keys = values.keys { try Self.requireList(keys.map { Array($0.utf8) }, "keys") }
        try Self.requireList(values.licensing, "licensing")
        let freshness = values.freshness
        for (seconds, field) in [(freshness.past, "freshness.past"), (freshness.future, "freshness.future")] {
            guard seconds >= 0, seconds <= Self.longestWindow else {
                throw PolicyError(field: field, "expected 0 to \(Int(Self.longestWindow)) seconds, found \(seconds)")
            }
        }
        try values.android?.validate()
        self.values = values
        writtenAnswers = values.answers
    }

    private init(_ values: Values, writtenAnswers: AnswerSource?) {
        self.values = values
        self.writtenAnswers = writtenAnswers
    }

    /// The rules in an app with other sections. Tokens carry an answer to services that never see the evidence: without a rule,
    /// only Google vouches for answers there.
    package func inForce(beside sections: [any EngineConfiguration]) -> any EngineConfiguration {
        guard values.answers == nil, sections.contains(where: { $0.givesTokens }) else { return self }
        var values = values
        values.answers = .google
        return PlayIntegrityConfiguration(values, writtenAnswers: writtenAnswers)
    }

    /// Ten years in seconds: above any practical value, and within the range of 64-bit milliseconds.
    static let longestWindow: Double = 10 * 366 * 86_400

    /// Demands a list that is not empty and has no duplicates.
    static func requireList<Element: Hashable>(_ list: [Element], _ field: String) throws(PolicyError) {
        guard !list.isEmpty else { throw PolicyError(field: field, "expected at least one value, found none") }
        guard Set(list).count == list.count else { throw PolicyError(field: field, "a value is in the list twice") }
    }
}

extension PlayIntegrityConfiguration.AndroidRules {
    fileprivate func validate() throws(PolicyError) {
        typealias Configuration = PlayIntegrityConfiguration
        try Configuration.requireList(certificateDigests, "certificateDigests")
        for digest in certificateDigests where digest.count != 32 {
            throw PolicyError(
                field: "certificateDigests", "a SHA-256 digest has 32 bytes, found \(digest.count)")
        }
        try Configuration.requireList(appRecognition, "appRecognition")
        try Configuration.requireList(deviceRecognition.map(\.minimumSDK), "deviceRecognition")
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
        try Configuration.requireList(playProtect, "playProtect")
        try Configuration.requireList(rejectedAccessRisks, "appAccessRisk.reject")
        try Configuration.requireList(locationSpoofing, "locationSpoofing.allow")
    }
}
