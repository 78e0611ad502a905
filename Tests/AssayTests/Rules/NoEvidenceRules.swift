/// The rules of `noEvidence`.
enum NoEvidenceRules {
    static let section = "noEvidence"

    private static func rule(
        _ field: String, _ value: String, _ check: String, without others: [String] = []
    ) -> StatedRule {
        var rule = StatedRule(
            engine: "none", section: section, field: field, value: value,
            evidence: .init("accept.json", "none-ios"), consequence: .rejected(check))
        rule.without = others
        return rule
    }

    static let all: [StatedRule] = [
        rule("reasons", "[failed]", "reason"), rule("minimumAppVersion", "\"5.1.1\"", "app-version"),
        rule("versions.maximum", "{ maximum: \"5.0\" }", "app-version", without: ["minimumAppVersion"]),
        rule("versions.withdrawn", "{ withdrawn: [\"5.1\"] }", "app-version"),
        rule("maximumSystemVersion", "\"13.6\"", "system-version"), rule("account", "required", "account"),
    ]

    /// Fields that other tests state.
    static let others: [String: String] = ["plausibleShare": "AssayTests/NoEvidenceTests.swift gauge"]
}
