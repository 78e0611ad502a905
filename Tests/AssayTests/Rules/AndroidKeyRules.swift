/// The rules of `androidKey`.
enum AndroidKeyRules {
    static let section = "androidKey"

    private static func rule(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "remote",
        in file: String = "attestation-accept.json", _ change: (inout StatedRule) -> Void = { _ in }
    ) -> StatedRule {
        var rule = StatedRule(
            engine: "android-key", section: section, field: field, value: value, evidence: .init(file, id),
            consequence: consequence)
        change(&rule)
        return rule
    }

    private static func attestation(
        _ field: String, _ value: String, _ check: String, _ id: String = "remote",
        in file: String = "attestation-accept.json", _ change: (inout StatedRule) -> Void = { _ in }
    ) -> StatedRule { rule(field, value, .rejected("attestation.\(check)"), id, in: file, change) }

    private static func version(_ field: String, _ value: String) -> StatedRule {
        attestation("versions.\(field)", "{ \(field): \(value) }", "application") {
            $0.without = ["minimumVersionCode"]
        }
    }

    private static func requests(
        _ field: String, _ value: String, _ consequence: StatedRule.Consequence, _ id: String = "request-get"
    ) -> StatedRule {
        rule("requests.\(field)", value, consequence, id, in: "requests/accept.json") { $0.folder = "requests/" }
    }

    private static let zeros = "[\"\(String(repeating: "11", count: 32))\"]"

    static let all: [StatedRule] =
        [
            attestation("packages", "[com.example.other]", "application"),
            attestation("certificateDigests", zeros, "application"),
            attestation("minimumVersionCode", "43", "application"), version("maximum", "41"),
            version("withdrawn", "[42]"),
            attestation("preset", "strict", "os-version", "factory-of-2016"),
            attestation("challenge", "ledger", "challenge"),
            attestation(
                "reattestation", "refuse", "enrolment", "enrolment-of-the-same-attestation", in: "enrolment.json"
            ) { $0.besides = ["reattestation: refresh"] },
            rule(
                "maximumAttestationAge", "1h", .rejected("request.key-state"), "request-age-a-week",
                in: "requests-age/sequence.json"
            ) { $0.folder = "requests/" },
            attestation("account", "required", "account"),
            attestation("maximumKeys", "1", "enrolment", "accounts-second-key", in: "accounts/sequence.json") {
                $0.besides = ["account: required"]
                $0.with = ["keysExceeded: refuse"]
            },
            rule("keysExceeded", "note", .warned) { $0.with = ["maximumKeys: 1", "account: required"] },
            attestation("securityLevel", "strongBox", "security-level"),
            attestation("keyAlgorithms", "[rsa]", "public-key"),
            attestation("bootStates", "[selfSigned]", "root-of-trust") { $0.with = ["verifiedBootKeys: \(zeros)"] },
            attestation(
                "verifiedBootKeys", zeros, "root-of-trust", "strict-self-signed", in: "strict/attestation-accept.json"
            ) { $0.folder = "strict/" },
            attestation("minimumOSVersion", "\"99\"", "os-version"),
            attestation("patchLevel.maximumAge", "{ maximumAge: 1d }", "patch-level"),
            attestation("patchLevel.levels", "{ maximumAge: 10y, levels: [boot] }", "patch-level", "factory-of-2016"),
            attestation("minimumAttestationVersion", "500", "version"), attestation("purposes", "[sign]", "purpose"),
            attestation("userAuthentication", "required", "user-authentication"),
            attestation("rollbackResistance", "required", "rollback-resistance"),
            attestation("creationTime.past", "{ past: 1m }", "creation-time", "factory-expired"),
            attestation("creationTime.future", "{ future: 1m }", "creation-time", "remote-first-second"),
            attestation("provisioning", "remote", "provisioning", "factory"),
            attestation("maximumCertificatesIssued", "1", "provisioning") { $0.with = ["provisioning: remote"] },
            attestation(
                "statusList", "\"file:revocation/status-list.txt\"", "revocation", "revoked-hexadecimal",
                in: "revocation/attestation.json"),
            rule("statusList.source", "{ source: none }", .warned),
            rule("testRoots", "[\"file:test-roots.pem\"]", .warned),
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
        "patchLevel.maximumAhead": "AndroidKeyTests/PolicyCheckTests.swift patchLevel",
        "deviceIdentity": "AndroidKeyTests/PolicyCheckTests.swift deviceIdentity",
        "statusList.maximumAge": "AndroidKeyTests/Revocation/AttestationStatusRuleTests.swift age",
    ]
}
