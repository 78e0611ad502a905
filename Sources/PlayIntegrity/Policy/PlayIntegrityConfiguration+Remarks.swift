package import AssayCore
import AssayHTTPSignatures

extension PlayIntegrityConfiguration {
    /// Longer windows than clocks and networks need: Google recommends minutes.
    private static let longPast: Double = 900
    private static let longFuture: Double = 300

    /// The package name, which is also the scope of keys that Google's console names by package.
    package var keyScopes: [String] { [packageName] }

    /// The section with the rules of requests.
    package func missingField(for kind: EvidenceKind) -> String? {
        kind == .playIntegrityRequest && requests == nil ? "requests" : nil
    }

    /// The policy checks that do not run without a field.
    package var missingRules: [CheckID: String] {
        guard let android else { return [:] }
        var missing: [CheckID: String] = [:]
        if android.versions.isEmpty { missing[PlayIntegrityCheck.versionCode] = "minimumVersionCode" }
        if android.minimumSDKVersion == nil { missing[PlayIntegrityCheck.sdkVersion] = "minimumSDKVersion" }
        if android.maximumDeviceActivity == nil { missing[PlayIntegrityCheck.deviceActivity] = "maximumDeviceActivity" }
        if android.rejectedRecallBits.isEmpty { missing[PlayIntegrityCheck.deviceRecall] = "deviceRecall" }
        return missing
    }

    /// The fields of signals that only annotate as long as a policy demands nothing of them.
    package static let annotatedRules = [
        "licensing": PlayIntegrityCheck.licensing, "playProtect": PlayIntegrityCheck.playProtect,
        "appAccessRisk": PlayIntegrityCheck.appAccessRisk, "locationSpoofing": PlayIntegrityCheck.locationSpoofing,
    ]

    /// Valid values of fields that are required, or that checks need.
    package static var examples: [PolicySetting] {
        [
            PolicySetting("packageName", "com.example.app"),
            PolicySetting("certificateDigests", [String(repeating: "00", count: 32)]),
            PolicySetting("minimumVersionCode", "1"), PolicySetting("minimumSDKVersion", "28"),
            PolicySetting("maximumDeviceActivity", "LEVEL_4"), PolicySetting("deviceRecall.reject", ["bitFirst"]),
        ]
    }

    /// The weak settings, and labels that Google does not document.
    package var remarks: [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        if challenge == .caller, android != nil {
            remarks.append(
                PolicyRemark(
                    "challenge",
                    "caller: the ledger consumes no nonce, so a captured classic token passes again unless the backend compares "
                        + "each nonce and accepts it once; ledger does both"))
        }
        if answers == .caller {
            remarks.append(
                PolicyRemark(
                    "answers",
                    "caller: an answer in a record is taken for Google's, so the writer of records decides about devices; "
                        + "google takes only what this verifier asked for"))
        }
        if answers == nil {
            remarks.append(
                PolicyRemark(
                    "answers",
                    "not set: a verifier without a service account of Google takes an answer in a record for Google's, so the writer "
                        + "of records decides about devices; set google, or caller if your own backend asks Google"))
        }
        for (seconds, field, limit) in [
            (freshness.past, "past", Self.longPast), (freshness.future, "future", Self.longFuture),
        ] where seconds > limit {
            remarks.append(
                PolicyRemark(
                    "freshness.\(field)",
                    "\(PolicyNode.text(ofSeconds: seconds)) is long: a stolen token stays usable for that long; "
                        + "\(PolicyNode.text(ofSeconds: limit)) is plenty"))
        }
        return remarks + (requests?.remarks ?? []) + (android?.remarks ?? [])
    }

    /// The settings in force.
    package var settings: [PolicySetting] {
        var settings = [
            PolicySetting("packageName", packageName), PolicySetting("platform", platform.rawValue),
        ]
        if android != nil {
            settings += [
                PolicySetting("keys", keys ?? []), PolicySetting("challenge", challenge.rawValue),
                PolicySetting("classicTokens", classicTokens?.rawValue),
            ]
        }
        settings += [
            PolicySetting("answers", answers?.rawValue),
            PolicySetting("freshness.past", seconds: freshness.past),
            PolicySetting("freshness.future", seconds: freshness.future),
            PolicySetting("licensing", licensing.map(\.name)),
        ]
        settings += requests?.settings ?? [PolicySetting(RequestRules.policyField, nil as String?)]
        return settings + (android?.settings ?? [])
    }
}

extension PlayIntegrityConfiguration.AndroidRules {
    fileprivate var remarks: [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        if versions.minimum == nil {
            remarks.append(
                PolicyRemark(
                    "minimumVersionCode", "not set: versions of the app with known vulnerabilities are accepted"))
        }
        for label in appRecognition where label != .playRecognized {
            remarks.append(
                PolicyRemark(
                    "appRecognition",
                    "\(label.name) admits apps that Google Play did not distribute; only their certificate is compared then"
                ))
        }
        for rule in deviceRecognition where rule.require == .basic || rule.require == .virtual {
            remarks.append(
                PolicyRemark(
                    "deviceRecognition",
                    rule.require == .basic
                        ? "\(rule.require.name) from SDK \(rule.minimumSDK) on admits devices with an unlocked boot loader"
                        : "\(rule.require.name) from SDK \(rule.minimumSDK) on admits emulators"))
        }
        for label in playProtect where ["POSSIBLE_RISK", "MEDIUM_RISK", "HIGH_RISK"].contains(label.name) {
            remarks.append(
                PolicyRemark(
                    "playProtect",
                    "\(label.name) admits devices on which Play Protect is off or found harmful apps"))
        }
        remarks += prerequisites
        let known = LabelField.locationSpoofing.labels.map(\.name)
        for (index, label) in locationSpoofing.enumerated() where !known.contains(label.name) {
            remarks.append(
                PolicyRemark(
                    unknown: label.name, in: "locationSpoofing.allow", at: index, known: known,
                    consequence: "the verdict that is meant is not allowed"))
        }
        return remarks
    }

    /// What must be turned on in the Play Console for the rules.
    private var prerequisites: [PolicyRemark] {
        func note(_ field: String, _ responses: [String], _ consequence: String) -> PolicyRemark {
            let list = responses.joined(separator: " and ")
            return PolicyRemark(field, needs: "turn on \(list) in \(PlayConsole.responses); \(consequence)")
        }
        var remarks: [PolicyRemark] = []
        guard statesDeviceRecognition else {
            remarks.append(
                note(
                    "deviceRecognition", [PlayConsole.deviceAttributes, PlayConsole.strongIntegrity],
                    "not set, so that MEETS_DEVICE_INTEGRITY suffices, noted (sdk-version-unknown), as long as Google does not tell "
                        + "the version of Android; with it, Android 13 and later need MEETS_STRONG_INTEGRITY"))
            return remarks + otherPrerequisites(note)
        }
        var responses: [String] = []
        if Set(deviceRecognition.map(\.require)).count > 1 || deviceRecognition.contains(where: { $0.minimumSDK > 1 }) {
            responses.append(PlayConsole.deviceAttributes)
        }
        if deviceRecognition.contains(where: { $0.require == .strong }) {
            responses.append(PlayConsole.strongIntegrity)
        }
        if deviceRecognition.contains(where: { $0.require == .basic }) { responses.append(PlayConsole.basicIntegrity) }
        if !responses.isEmpty {
            remarks.append(note("deviceRecognition", responses, "without it, devices are rejected that meet the rules"))
        }
        return remarks + otherPrerequisites(note)
    }

    private func otherPrerequisites(
        _ note: (_ field: String, _ responses: [String], _ consequence: String) -> PolicyRemark
    ) -> [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        func add(_ isNeeded: Bool, _ field: String, _ response: String) {
            if isNeeded { remarks.append(note(field, [response], "without it, every token is rejected")) }
        }
        add(minimumSDKVersion != nil, "minimumSDKVersion", PlayConsole.deviceAttributes)
        add(maximumDeviceActivity != nil, "maximumDeviceActivity", PlayConsole.deviceActivity)
        add(!rejectedRecallBits.isEmpty, "deviceRecall", PlayConsole.deviceRecall)
        return remarks
    }

    fileprivate var settings: [PolicySetting] {
        let rules = deviceRecognition.map { rule in
            PolicyNode.written(
                .mapping([
                    (key: "minimumSDK", line: 0, value: .written(.scalar("\(rule.minimumSDK)"))),
                    (key: "require", line: 0, value: .written(.scalar(rule.require.name))),
                ]))
        }
        return [
            PolicySetting("certificateDigests", certificateDigests.map(Self.hexadecimal)),
            PolicySetting("minimumVersionCode", versions.minimum.map { "\($0)" }),
        ] + versions.settings + [
            PolicySetting("appRecognition", appRecognition.map(\.name)),
            // The defaults are not quite these rules: see `statesDeviceRecognition`.
            PolicySetting("deviceRecognition", statesDeviceRecognition ? .sequence(rules) : nil),
            PolicySetting("minimumSDKVersion", minimumSDKVersion.map { "\($0)" }),
            PolicySetting("maximumDeviceActivity", maximumDeviceActivity?.name),
            PolicySetting("deviceRecall.reject", rejectedRecallBits.map(\.rawValue)),
            PolicySetting("playProtect", playProtect.map(\.name)),
            PolicySetting("appAccessRisk.reject", rejectedAccessRisks.map(\.name)),
            PolicySetting("locationSpoofing.allow", locationSpoofing.map(\.name)),
        ]
    }

    private static func hexadecimal(_ digest: [UInt8]) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
