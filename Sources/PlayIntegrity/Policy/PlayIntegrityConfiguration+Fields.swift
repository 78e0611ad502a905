package import AssayCore

extension PlayIntegrityConfiguration: SectionConfiguration {
    /// The section with the rules of requests.
    package func missingField(for kind: EvidenceKind) -> String? {
        kind == .playIntegrityRequest && values.requests == nil ? "requests" : nil
    }

    /// The fields of `playIntegrity` in a policy, for its reader and `assay verify --set`.
    package static let table = commonTable + [android, .requests(\.requests)]

    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        do { try self.init(values) } catch { throw error.placed(in: node) }
    }

    /// The settings in force, with those of Android at the end.
    package var settings: [PolicySetting] {
        (Self.commonTable + [.requests(\.requests), Self.android]).settings(of: values)
    }

    /// The package name, which is also the scope of keys that Google's console names by package.
    package var keyScopes: [String] { [values.packageName] }

    /// The fields for every app. Classic tokens, with their keys and nonces, exist on Android only.
    private static let commonTable: [SectionField<Values>] = [
        .field(
            "packageName", \.packageName, .text(PackageName.objection(to:)), "The package name of the app.",
            required: "such as com.example.shop"
        ).example("com.example.app"),
        .field("platform", \.platform, .word, "What the app runs on."),
        onAndroid(
            .field(
                "keys", \.keys, .texts(repeated: { "the key \($0.excerpt) is in the list twice" }),
                "The name of a key that opens classic tokens.")),
        onAndroid(.field("challenge", \.challenge, .word, "Who keeps track of nonces.")).weak(
            if: { $0.challenge == .caller && $0.android != nil },
            "caller: the ledger consumes no nonce, so a captured classic token passes again unless the backend compares "
                + "each nonce and accepts it once; ledger does both"),
        onAndroid(.field("classicTokens", \.classicTokens, .word, "Who opens classic tokens.")),
        .field("answers", \.answers, .word, "Who vouches for Google's answers.").weak {
            switch $0.answers {
            case .google: nil
            case .caller:
                "caller: an answer in a record is taken for Google's, so the writer of records decides about devices; "
                    + "google takes only what this verifier asked for"
            case nil:
                "not set: a verifier without a service account of Google takes an answer in a record for Google's, so the writer "
                    + "of records decides about devices; set google, or caller if your own backend asks Google"
            }
        },
        .group(
            "freshness", \.freshness, "How far the time of a token may be off.",
            [
                // Google recommends minutes.
                .field("past", \.past, window, "How old a token may be.").weak { remark($0.past, plenty: 900) },
                .field("future", \.future, window, "How far ahead of the server's clock a token may be.").weak {
                    remark($0.future, plenty: 300)
                },
            ]),
        .field("licensing", \.licensing, .labels(.licensing), "A licensing verdict that is allowed.").states(
            .playIntegrityLicensing),
        .field(
            "testResponses", \.testResponses, .word,
            "Whether test responses are accepted, which the Play Console gives to testers and `assay mint` makes."
        ).weak(
            if: { $0.testResponses == .allow },
            "allow: the owner of the Play Console chooses what test responses say of app and device; never use it in production"
        ),
    ]

    private static let android = SectionField<Values>.fields(of: \.android, AndroidRules.table, refusal: refusal(of:))

    private static func onAndroid(_ field: SectionField<Values>) -> SectionField<Values> {
        field.allowed(if: { $0.android != nil }, refusal(of: field.path)).shown { $0.android != nil }
    }

    @Sendable private static func refusal(of field: String) -> String {
        "platform pc has no \(field): tokens of games on PC say nothing of it"
    }

    private static let window = FieldForm<Double>.duration(0...longestWindow, "at most ten years")

    private static func remark(_ seconds: Double, plenty: Double) -> String? {
        guard seconds > plenty else { return nil }
        return "\(PolicyNode.text(ofSeconds: seconds)) is long: a stolen token stays usable for that long; "
            + "\(PolicyNode.text(ofSeconds: plenty)) is plenty"
    }
}

extension PlayIntegrityConfiguration.AndroidRules {
    fileprivate static let table: [SectionField<Self>] = [
        .field(
            "certificateDigests", \.certificateDigests,
            .list(of: digest) { _ in "the digest is in the list twice" },
            "The SHA-256 of a signing certificate that is allowed, hexadecimal or base64.",
            required: "a list of the SHA-256 digests of the app's signing certificates"
        ).example(String(repeating: "00", count: 32)),
        .versions(
            \.versions, minimum: "minimumVersionCode", "The lowest version code that is allowed.", .count, example: "1",
            neededBy: CheckID.playIntegrityVersionCode),
        .field(
            "appRecognition", \.appRecognition, .labels(.appRecognition), "A verdict on the app that is allowed."
        ).remarks { values in
            values.appRecognition.filter { $0 != .playRecognized }.map {
                PolicyRemark(
                    "appRecognition",
                    "\($0.name) admits apps that Google Play did not distribute; only their certificate is compared then"
                )
            }
        },
        SectionField(
            "deviceRecognition", .list(.mapping), "What devices must meet from some version of Android on."
        ) {
            // The defaults are not quite these rules: see `statedDeviceRecognition`.
            [
                PolicySetting(
                    "deviceRecognition", $0.statesDeviceRecognition ? .sequence($0.deviceRecognition.map(\.node)) : nil)
            ]
        } read: { (values, node, files) throws(PolicyError) in
            values.statedDeviceRecognition = try deviceRules(node, files)
        }.remarks { values in
            values.deviceRecognition.filter { $0.require == .basic || $0.require == .virtual }.map {
                PolicyRemark(
                    "deviceRecognition",
                    "\($0.require.name) from SDK \($0.minimumSDK) on admits "
                        + ($0.require == .basic ? "devices with an unlocked boot loader" : "emulators"))
            }
        }.remarks(\.devicePrerequisites),
        .field("minimumSDKVersion", \.minimumSDKVersion, .count, "The lowest SDK version that is allowed.")
            .example("28").needed(by: .playIntegritySDKVersion).needs(PlayConsole.deviceAttributes) {
                $0.minimumSDKVersion != nil
            },
        .field(
            "maximumDeviceActivity", \.maximumDeviceActivity, .label(of: IntegrityLabel.activityLevels),
            "The highest level of activity."
        ).example("LEVEL_4").needed(by: .playIntegrityDeviceActivity).needs(PlayConsole.deviceActivity) {
            $0.maximumDeviceActivity != nil
        },
        .group(
            "deviceRecall", \.self, "The bits of device recall that are rejected.",
            [
                .field(
                    "reject", \.rejectedRecallBits, .list(of: .word), "A bit that must not be set.",
                    required: "a list of labels"
                ).example("bitFirst"),
                .field(
                    "blocks", \.blocks, .word,
                    "Whether the device of a blocked account is banned, too, by the first bit of reject."
                ).shown { !$0.rejectedRecallBits.isEmpty },
            ]
        ).needed(by: .playIntegrityDeviceRecall).needs(PlayConsole.deviceRecall) {
            !$0.rejectedRecallBits.isEmpty
        },
        .field(
            "playProtect", \.playProtect, .labels(.playProtect), "A verdict of Play Protect that is allowed."
        ).states(.playIntegrityPlayProtect).remarks { values in
            values.playProtect.filter { ["POSSIBLE_RISK", "MEDIUM_RISK", "HIGH_RISK"].contains($0.name) }.map {
                PolicyRemark(
                    "playProtect", "\($0.name) admits devices on which Play Protect is off or found harmful apps")
            }
        },
        .group(
            "appAccessRisk", \.self, "What other apps must not be able to do.",
            [
                .field(
                    "reject", \.rejectedAccessRisks, .labels(.accessRisk), "An access that is rejected.",
                    required: "a list of labels")
            ]
        ).states(.playIntegrityAppAccessRisk),
        .group(
            "locationSpoofing", \.self, "The verdicts on the location that are allowed.",
            [
                .field(
                    "allow", \.locationSpoofing, .list(of: location), "A verdict that is allowed.",
                    required: "a list of labels"
                ).remarks { values in
                    let known = LabelField.locationSpoofing.labels.map(\.name)
                    return values.locationSpoofing.enumerated().filter { !known.contains($1.name) }.map {
                        PolicyRemark(
                            unknown: $1.name, in: "allow", at: $0, known: known,
                            consequence: "the verdict that is meant is not allowed")
                    }
                }
            ]
        ).states(.playIntegrityLocationSpoofing),
    ]

    private static let digest = FieldForm<[UInt8]>.text(\.hexadecimal) { (node) throws(PolicyError) in
        let text = try node.text()
        do throws(CertificateDigestText.Problem) { return try CertificateDigestText.decode(text) } catch {
            throw node.error(error.message)
        }
    }

    /// Any label of the right form: Google does not publish them.
    private static let location = FieldForm<IntegrityLabel>.text(\.name) { (node) throws(PolicyError) in
        let text = try node.text()
        guard text.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }) else {
            throw node.error("expected a label such as LOW_RISK_DEVICE, found \(node.found)")
        }
        return IntegrityLabel(text)
    }

    private static func deviceRules(
        _ node: PolicyNode, _ files: any PolicyFiles
    ) throws(PolicyError) -> [PlayIntegrityConfiguration.DeviceRule] {
        var rules: [PlayIntegrityConfiguration.DeviceRule] = []
        for element in try node.elements() {
            let fields = try element.members(["minimumSDK", "require"])
            guard let minimum = fields["minimumSDK"] else { throw element.missing("minimumSDK", "such as 33") }
            guard let require = fields["require"] else {
                throw element.missing("require", "such as MEETS_DEVICE_INTEGRITY")
            }
            let rule = PlayIntegrityConfiguration.DeviceRule(
                minimumSDK: try FieldForm.count.read(minimum, files),
                require: try FieldForm.label(of: [.basic, .device, .strong, .virtual]).read(require, files))
            guard !rules.contains(where: { $0.minimumSDK == rule.minimumSDK }) else {
                throw minimum.error("two rules begin at SDK \(rule.minimumSDK)")
            }
            rules.append(rule)
        }
        return rules
    }
}

extension PlayIntegrityConfiguration.DeviceRule {
    fileprivate var node: PolicyNode {
        .written(
            .mapping([
                (key: "minimumSDK", line: 0, value: .written(.scalar("\(minimumSDK)"))),
                (key: "require", line: 0, value: .written(.scalar(require.name))),
            ]))
    }
}

extension PlayIntegrityConfiguration.AndroidRules {
    /// What must be turned on in the Play Console for the device rules.
    fileprivate var devicePrerequisites: [PolicyRemark] {
        guard statesDeviceRecognition else {
            return [
                .turnOn(
                    "deviceRecognition", [PlayConsole.deviceAttributes, PlayConsole.strongIntegrity],
                    "not set, so that MEETS_DEVICE_INTEGRITY suffices, noted (sdk-version-unknown), as long as Google does not tell "
                        + "the version of Android; with it, Android 13 and later need MEETS_STRONG_INTEGRITY")
            ]
        }
        let labels = Set(deviceRecognition.map(\.require))
        var responses: [String] = []
        if labels.count > 1 || deviceRecognition.contains(where: { $0.minimumSDK > 1 }) {
            responses.append(PlayConsole.deviceAttributes)
        }
        if labels.contains(.strong) { responses.append(PlayConsole.strongIntegrity) }
        if labels.contains(.basic) { responses.append(PlayConsole.basicIntegrity) }
        return responses.isEmpty
            ? []
            : [.turnOn("deviceRecognition", responses, "without it, devices are rejected that meet the rules")]
    }
}

extension PolicyRemark {
    fileprivate static func turnOn(_ field: String, _ responses: [String], _ consequence: String) -> PolicyRemark {
        let list = responses.joined(separator: " and ")
        return PolicyRemark(field, needs: "turn on \(list) in \(PlayConsole.responses); \(consequence)")
    }
}

extension SectionField {
    /// Remarks that a setting in the Play Console must be turned on if the field has a value.
    fileprivate func needs(_ response: String, if isSet: @escaping @Sendable (Values) -> Bool) -> Self {
        let path = path
        return remarks { isSet($0) ? [.turnOn(path, [response], "without it, every token is rejected")] : [] }
    }
}

extension FieldForm where Value == IntegrityLabel {
    fileprivate static func label(of allowed: [IntegrityLabel]) -> Self {
        Self(.words(allowed.map(\.name))) {
            .scalar($0.name)
        } read: { (node, _) throws(PolicyError) in
            let label = IntegrityLabel(try node.text())
            guard allowed.contains(label) else { throw node.mismatch(with: allowed.map(\.name)) }
            return label
        }
    }
}

extension FieldForm where Value == [IntegrityLabel] {
    fileprivate static func labels(_ field: LabelField) -> Self { .list(of: .label(of: field.labels)) }
}
