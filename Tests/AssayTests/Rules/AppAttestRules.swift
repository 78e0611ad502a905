/// The rules of `appAttest`.
enum AppAttestRules {
    static let section = "appAttest"

    private static func rule(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "ios-26",
        in file: String = "attestation-accept.json", _ change: (inout StatedRule) -> Void = { _ in }
    ) -> StatedRule {
        var rule = StatedRule(
            engine: "app-attest", section: section, field: field, value: value, evidence: .init(file, id),
            consequence: consequence)
        change(&rule)
        return rule
    }

    private static func requests(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "request-get"
    ) -> StatedRule {
        rule("requests.\(field)", value, consequence, id, in: "requests/accept.json") { $0.folder = "requests/" }
    }

    static let all: [StatedRule] =
        [
            rule("appIDs", "[1234567890.com.example.other]", .rejected("attestation.app-id")),
            rule("environments", "[development]", .rejected("attestation.environment")),
            rule("challenge", "ledger", .rejected("attestation.challenge")) { $0.with = ["clientData: raw"] },
            rule(
                "clientData", "raw", .rejected("assertion.client-data"), "assertion-genuine",
                in: "assertion-accept.json"),
            rule(
                "clientData.challengeAt", "{ challengeAt: /nonce }", .rejected("assertion.client-data"),
                "assertion-genuine", in: "assertion-accept.json"),
            rule(
                "counter", "successor", .rejected("assertion.counter"), "assertion-skips-counters",
                in: "assertion-accept.json"),
            rule(
                "reattestation", "refuse", .rejected("attestation.enrolment"), "enrolment-of-the-same-attestation",
                in: "enrolment.json"
            ) { $0.besides = ["reattestation: refresh"] },
            rule("account", "required", .rejected("attestation.account")),
            rule(
                "maximumKeys", "1", .rejected("attestation.enrolment"), "accounts-second-key",
                in: "accounts/sequence.json"
            ) {
                $0.besides = ["account: required"]
                $0.with = ["keysExceeded: refuse"]
            },
            rule("keysExceeded", "note", .warned) { $0.with = ["maximumKeys: 1", "account: required"] },
            rule("minimumOSVersion", "\"99\"", .rejected("attestation.os-version")),
            rule("minimumOSVersion.iOS", "{ iOS: \"99\" }", .rejected("attestation.os-version")),
            rule("minimumOSVersion.macOS", "{ macOS: \"99\" }", .rejected("attestation.os-version"), "macos-27"),
            rule("maximumCertificateAge", "23h59m59s", .rejected("attestation.certificate-age")),
            rule("maximumCertificateAge", "1d", .warned),
            rule("minimumBundleVersion", "\"999\"", .rejected("attestation.bundle-version"), "ios-27-flags-40"),
            rule(
                "versions.maximum", "{ maximum: \"0.1\" }", .rejected("attestation.bundle-version"), "ios-27-flags-40"),
            rule(
                "validationCategories", "[enterprise]", .rejected("attestation.validation-category"), "ios-27-flags-40"),
            rule("testRoots", "[\"file:test-root.pem\"]", .warned),
        ] + [
            requests("label", "{ label: other }", .rejected("request.decode")),
            requests("components", "{ components: [\"@method\", x-missing] }", .rejected("request.components")),
            requests(
                "freshness.past", "{ freshness: { past: 1s } }", .rejected("request.freshness"),
                "request-at-the-end-of-the-window"),
            requests(
                "freshness.future", "{ freshness: { future: 1s } }", .rejected("request.freshness"),
                "request-ahead-at-the-end-of-the-window"),
            requests("nonce", "{ nonce: ledger }", .rejected("assertion.challenge")),
            requests("body", "{ body: upstream }", .warned),
            requests("enforcement", "{ enforcement: annotate }", .warned),
        ]

    /// The fields that demand nothing of evidence, each with the reason, and those that a test of other evidence has.
    static let others = [
        "versions.withdrawn": "AppAttestTests/VersionTests.swift bundleVersions",
        "receipt.maximumAge": "AppAttestTests/ReceiptCheckTests.swift isolation",
        "receipt.maximumRiskMetric": "AppAttestTests/StatedRiskMetricTests.swift enforced",
        "receipt.maximumRiskMetricAge": "AppAttestTests/StatedRiskMetricTests.swift enforced",
        "receipt.keep": "says what is stored",
    ]
}
