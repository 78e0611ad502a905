import Approov

/// The rules of `approov`.
enum ApproovRules {
    static let section = "approov"

    private static func rule(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String, in file: String,
        app: String, _ change: (inout StatedRule) -> Void = { _ in }
    ) -> StatedRule {
        var rule = StatedRule(
            engine: "approov", section: section, field: field, value: value, evidence: .init(file, id),
            consequence: consequence, app: app)
        change(&rule)
        return rule
    }

    private static func token(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence,
        _ id: String = "token-accepted-genuine", _ change: (inout StatedRule) -> Void = { _ in }
    ) -> StatedRule { rule(field, value, consequence, id, in: "token-accept.json", app: "api", change) }

    private static func message(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence,
        _ id: String = "message-accepted-get", app: String = "signed"
    ) -> StatedRule { rule(field, value, consequence, id, in: "message-accept.json", app: app) }

    private static func text(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence
    ) -> StatedRule { rule(field, value, consequence, "text-of-an-order", in: "text-accept.json", app: "texts") }

    private static func proof(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "proof-with-token"
    ) -> StatedRule { rule("proof.\(field)", value, consequence, id, in: "proof.json", app: "api") }

    static let all: [StatedRule] =
        [
            token("keys", "[expired]", .withoutKey), token("format", "jwe", .rejected("token.decode")),
            message("tokenHeader", "X-Token", .rejected("token.decode")),
            message("tokenPrefix", "\"Bearer \"", .rejected("token.decode")),
            token("binding", "[Authorization]", .rejected("token.binding")) { $0.with = ["failover: reject"] },
            token("whenAbsent", "none", .warned) { $0.besides = ["binding: [Authorization]", "failover: reject"] },
            StatedRule(
                engine: "approov", section: section, field: "whenAbsent.value", value: "{ value: none }",
                evidence: .init(
                    "token-accept.json", "token-accepted-genuine",
                    replacing: ("\"token\":", "\"binding\":[\"\"],\"token\":")),
                consequence: .rejected("token.binding"), app: "api",
                besides: ["binding: [Authorization]", "failover: reject", "whenAbsent: none"]),
            token("failover", "reject", .rejected("token.failover"), "token-accepted-failover"),
            token("audiences", "[\"https://api.example.com\"]", .rejected("token.audience")),
            token("annotations.preset", "{ preset: blacklist }", .warned),
            token("annotations.others", "{ others: ignore }", .warned),
            token("maximumLifetime", "1s", .rejected("token.expiry")),
            message("messageSigning.signer", "{ signer: account }", .withoutKey),
            message(
                "messageSigning.keys", "{ signer: account, keys: [message-expired] }", .withoutKey,
                "message-accepted-account", app: "signed-account"),
            message(
                "messageSigning.components",
                "{ signer: installation, components: [\"@method\", approov-token, x-missing] }",
                .rejected("message.components")),
            message(
                "messageSigning.freshness.past", "{ signer: installation, freshness: { past: 0s } }",
                .rejected("message.freshness")),
            message("messageSigning.replay", "{ signer: installation, replay: caller }", .warned),
            message("messageSigning.body", "{ signer: installation, body: upstream }", .warned),
            text("textSigning.keys", "{ keys: [message-expired] }", .withoutKey),
            text("textSigning.replay", "{ replay: caller }", .warned),
            proof("tokens", "{ tokens: encrypted }", .rejected("proof.measurement")),
            proof("tokens", "{ tokens: any }", .warned),
            proof("nonce", "{ tokens: any, nonce: ledger }", .rejected("proof.challenge")),
            token("enforcement", "annotate", .warned),
        ]
        + ApproovStatusWord.allCases.map { word in
            token("statusWords.\(word.rawValue)", "{ \(word.rawValue): annotate }", .warned)
        }

    static let others = [
        "issuers": "admits tokens that are rejected without it",
        "longLivedIssuers": "admits tokens that are rejected without it",
        "annotations.reject": "ApproovTests/TokenPolicyCheckTests.swift annotations",
        "annotations.note": "says what a verdict notes",
        "annotations.ignore": "says what a verdict leaves out",
        "messageSigning.freshness.future": "ApproovTests/MessageCheckTests.swift failing",
        "messageSigning.quirks": "admits messages that are rejected without it",
        "proof.keys": "ApproovTests/MeasurementTokenTests.swift proofs",
        "proof.hardware": "AssayServiceTests/MeasurementTests.swift sealing",
        "proof.life": "AssayServiceTests/MeasurementTests.swift sealing",
    ]
}
