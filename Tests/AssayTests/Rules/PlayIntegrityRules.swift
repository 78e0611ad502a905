/// The rules of `playIntegrity`.
enum PlayIntegrityRules {
    static let section = "playIntegrity"

    private static func rule(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "standard-genuine",
        in file: String = "standard-accept.json", _ change: (inout StatedRule) -> Void = { _ in }
    ) -> StatedRule {
        var rule = StatedRule(
            engine: "play-integrity", section: section, field: field, value: value, evidence: .init(file, id),
            consequence: consequence)
        change(&rule)
        return rule
    }

    private static func classic(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "classic-genuine"
    ) -> StatedRule { rule(field, value, consequence, id, in: "classic-accept.json") }

    /// A rule on a signal, and the signal in the record as it is and as the rule does not allow it.
    private static func signal(
        _ field: String, _ value: String, _ check: String, _ from: String, _ to: String
    ) -> StatedRule {
        StatedRule(
            engine: "play-integrity", section: section, field: field, value: value,
            evidence: .init("standard-accept.json", "standard-genuine", replacing: (from, to)),
            consequence: .rejected(check))
    }

    private static func version(_ field: String, _ value: String) -> StatedRule {
        rule("versions.\(field)", "{ \(field): \(value) }", .rejected("version-code")) {
            $0.without = ["minimumVersionCode"]
        }
    }

    private static func requests(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "request-get"
    ) -> StatedRule {
        rule("requests.\(field)", value, consequence, id, in: "requests/accept.json") { $0.folder = "requests/" }
    }

    static let all: [StatedRule] =
        [
            rule("packageName", "com.example.other", .rejected("*")),
            rule("platform", "android", .rejected("*"), "pc-genuine", in: "pc/standard-accept.json") {
                $0.folder = "pc/"
                $0.with = ["certificateDigests: [\"\(String(repeating: "00", count: 32))\"]"]
            },
            classic("keys", "[expired]", .withoutKey),
            classic("challenge", "ledger", .rejected("challenge")),
            rule("challenge", "caller", .warned),
            rule("answers", "google", .rejected("decode")),
            rule("answers", "caller", .warned),
            rule("testResponses", "allow", .warned),
            rule("freshness.past", "{ past: 1s }", .rejected("freshness")),
            rule("freshness.future", "{ future: 1s }", .rejected("freshness"), "standard-timestamp-at-the-future-end"),
            rule("freshness.past", "{ past: 1d }", .warned),
            rule("certificateDigests", "[\"\(String(repeating: "00", count: 32))\"]", .rejected("certificate")),
            rule("minimumVersionCode", "43", .rejected("version-code")),
            version("maximum", "41"), version("withdrawn", "[42]"),
            rule("appRecognition", "[UNRECOGNIZED_VERSION]", .rejected("app-recognition")),
            rule(
                "deviceRecognition", "[{ minimumSDK: 37, require: MEETS_DEVICE_INTEGRITY }]",
                .rejected("device-recognition")),
            rule("minimumSDKVersion", "37", .rejected("sdk-version")),
            signal("maximumDeviceActivity", "LEVEL_1", "device-activity", "LEVEL_1", "LEVEL_4"),
            rule("deviceRecall.reject", "{ reject: [bitFirst] }", .rejected("device-recall"), "standard-recall-bits"),
            signal("licensing", "[LICENSED]", "licensing", "\"LICENSED\"", "\"UNLICENSED\""),
            signal("playProtect", "[NO_ISSUES]", "play-protect", "NO_ISSUES", "HIGH_RISK"),
            signal("playProtect", "[NO_ISSUES, NO_DATA]", "play-protect", "NO_ISSUES", "UNEVALUATED"),
            signal(
                "appAccessRisk.reject", "{ reject: [UNKNOWN_CONTROLLING] }", "app-access-risk", "[\"KNOWN_INSTALLED\"]",
                "[\"KNOWN_INSTALLED\",\"UNKNOWN_CONTROLLING\"]"),
            signal(
                "locationSpoofing.allow", "{ allow: [LOW_RISK_DEVICE] }", "location-spoofing", "\"playProtectVerdict\"",
                "\"locationSpoofingRiskVerdict\":[\"HIGH_RISK_DEVICE\"],\"playProtectVerdict\""),
        ] + [
            requests("label", "{ label: other }", .rejected("request.decode")),
            requests("components", "{ components: [\"@method\", x-missing] }", .rejected("request.components")),
            requests(
                "freshness.past", "{ freshness: { past: 1s } }", .rejected("request.freshness"),
                "request-at-the-end-of-the-window"),
            requests(
                "freshness.future", "{ freshness: { future: 1s } }", .rejected("request.freshness"),
                "request-ahead-at-the-end-of-the-window"),
            requests("nonce", "{ nonce: ledger }", .rejected("*")),
            requests("body", "{ body: upstream }", .warned),
            requests("enforcement", "{ enforcement: annotate }", .warned),
        ]

    static let others = [
        "classicTokens": "PlayIntegrityTests/ClassicByGoogleTests.swift keys",
        "deviceRecall.blocks": "PlayIntegrityTests/DeviceRecallBanTests.swift bans",
    ]
}
