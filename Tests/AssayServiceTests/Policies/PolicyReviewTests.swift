import Assay
import AssayCore
import AssayHTTP
import AssayPrimitives
import AssayService
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A review of a policy file reports every error and every weak setting at once.
@Suite("Reviews of policies")
struct PolicyReviewTests {
    private static let sections: [(field: String, fields: [(name: String, value: String)])] = [
        (
            "appAttest",
            [
                ("appIDs", "[1234567890.com.example.shop]"), ("environments", "[production]"),
                ("challenge", "ledger"), ("clientData", "raw"),
            ]
        ),
        (
            "playIntegrity",
            [
                ("packageName", "com.example.shop"),
                ("certificateDigests", "[\(String(repeating: "11", count: 32))]"),
            ]
        ),
        ("approov", [("binding", "[Authorization]"), ("failover", "reject")]),
    ]

    /// A policy with an app for each engine, in which some fields of sections have other values.
    private static func policy(_ changes: [(section: String, name: String, value: String)], _ end: String = "")
        -> String
    {
        var text = "version: 1\napps:\n"
        for (section, fields) in sections {
            text += "  - name: \(section)\n    \(section):\n"
            let changed = changes.filter { $0.section == section }
            for field in fields where !changed.contains(where: { $0.name == field.name }) {
                text += "      \(field.name): \(field.value)\n"
            }
            for change in changed { text += "      \(change.name): \(change.value)\n" }
        }
        return text + end
    }

    private static func review(_ text: String, at now: String = "2026-04-21T18:13:12Z") throws -> PolicyReview {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("p.yaml"))
        return PolicyReview(
            path: folder.path("p.yaml"), engines: .standard, at: try #require(RFC3339.parse(now)))
    }

    private static func problems(_ review: PolicyReview, _ severity: PolicyReview.Finding.Severity) -> [PolicyError] {
        review.findings.filter { $0.severity == severity }.map(\.problem)
    }

    private static func fields(_ review: PolicyReview, _ severity: PolicyReview.Finding.Severity) -> [String] {
        problems(review, severity).map(\.field)
    }

    @Test("A wrong value of any field is reported, hides no other error, and causes none", arguments: sections.indices)
    func everyField(index: Int) throws {
        let (section, required) = Self.sections[index]
        let path = "apps[\(index)].\(section)"
        let declared = try #require(
            EngineRegistry.standard.configurations.first { $0.policyField == section }?.fields)
        #expect(!declared.isEmpty)
        for field in declared {
            let parts = field.path.split(separator: ".").map(String.init)
            // A signer is required in `messageSigning`.
            let beside =
                parts[0] == "messageSigning" && parts.count > 1 && parts[1] != "signer" ? "signer: account, " : ""
            var value = "{ nosuch: 1 }"
            for (depth, name) in parts.enumerated().dropFirst().reversed() {
                value = "{ \(depth == 1 ? beside : "")\(name): \(value) }"
            }
            let text = Self.policy([(section, parts[0], value)], "checks: { app-attest.nosuch: off }\n")
            let errors = Self.fields(try Self.review(text), .error)
            #expect(errors.contains { $0.hasPrefix("\(path).\(field.path)") }, "\(field.path): \(errors)")
            #expect(errors.contains("checks.app-attest.nosuch"), "\(field.path): \(errors)")
            let others = errors.filter { !$0.hasPrefix("\(path).\(parts[0])") && !$0.hasPrefix("checks.") }
            #expect(others.isEmpty && errors.count <= 3, "\(field.path): \(errors)")
        }
        for field in required where field.name != "binding" {
            let text = Self.policy([]).split(separator: "\n").filter { !$0.hasPrefix("      \(field.name): ") }
            #expect(Self.fields(try Self.review(text.joined(separator: "\n")), .error) == ["\(path).\(field.name)"])
        }
    }

    @Test("Errors of all parts of a file are reported in the order of lines, each once")
    func everyError() throws {
        let review = try Self.review(
            """
            version: 2
            keys:
              - { name: a, use: approv, secret: "env:NO_SUCH_A" }
              - { name: b, use: play-integrity, decryptionKey: "env:NO_SUCH_B", verificationKey: "env:NO_SUCH_C", fro: x }
            apps:
              - appAttest: { appIDs: [shop, 1234567890.com.example.shop, x], enviroments: [production], challenge: leger }
              - name: shop
                playIntegrity: { packageName: com.example.shop, appRecognition: [PLAY_RECOGNISED, PLAY_RECOGNIZED] }
              - name: shop
                approov: { binding: [Authorization] }
            checks:
              app-attest.attestation.nonce: off
              play-integrity.device-activity: enforce
              play-integrity.licensing: enfroce
            surplus: 1
            """)
        let errors = Self.problems(review, .error)
        let expected: [(line: Int, field: String, words: String)] = [
            (1, "version", "expected 1"), (3, "keys[0].use", "did you mean approov"),
            (4, "keys[1].fro", "unknown field"), (4, "keys[1].decryptionKey", "NO_SUCH_B"),
            (4, "keys[1].verificationKey", "NO_SUCH_C"), (6, "apps[0].name", "missing"),
            (6, "apps[0].appAttest.enviroments", "did you mean environments?"),
            (6, "apps[0].appAttest.appIDs[0]", "found \"shop\""), (6, "apps[0].appAttest.appIDs[2]", "found \"x\""),
            (6, "apps[0].appAttest.environments", "missing"),
            (6, "apps[0].appAttest.challenge", "did you mean ledger?"),
            (6, "apps[0].appAttest.clientData", "missing"),
            (8, "apps[1].playIntegrity.certificateDigests", "missing"),
            (8, "apps[1].playIntegrity.appRecognition[0]", "did you mean PLAY_RECOGNIZED?"),
            (9, "apps[2]", "two apps are named shop"), (10, "apps[2].approov.failover", "missing"),
            (12, "checks.app-attest.attestation.nonce", "is a gate"),
            (13, "checks.play-integrity.device-activity", "does not run without maximumDeviceActivity"),
            (14, "checks.play-integrity.licensing", "did you mean enforce?"), (15, "surplus", "unknown field"),
        ]
        for entry in expected {
            let found = errors.filter { $0.field == entry.field }
            #expect(found.count == 1 && found.first?.line == entry.line, "\(entry): \(found)")
            #expect(found.first?.message.contains(entry.words) == true, "\(entry): \(found)")
        }
        #expect(errors.count == expected.count, "\(errors.map(\.description).joined(separator: "\n"))")
        #expect(errors.compactMap(\.line) == errors.compactMap(\.line).sorted())
    }

    @Test("A key whose only part cannot be read is one error")
    func keyOfOnePart() throws {
        let keys = "keys: [{ name: a, use: approov, secret: \"env:NO_SUCH_A\" }]\n"
        let approov = "apps: [{ name: api, approov: { keys: [a] } }]\n"
        #expect(Self.fields(try Self.review("version: 1\n" + keys + approov), .error) == ["keys[0].secret"])
    }

    @Test("An app with an error hides no error of another app, nor that two have one name")
    func errorsOfSeveralApps() throws {
        let apps = [
            "{ name: a, appAttest: { appIDs: [1234567890.com.example.a], environments: [prod], challenge: ledger, clientData: raw } }",
            "{ name: a, playIntegrty: {} }", "{ name: c, approv: {} }", "{ name: d }",
        ]
        let text = "version: 1\napps:\n" + apps.map { "  - \($0)\n" }.joined()
        #expect(
            Self.fields(try Self.review(text), .error) == [
                "apps[0].appAttest.environments[0]", "apps[1]", "apps[1].playIntegrty", "apps[2].approv", "apps[3]",
            ])
    }

    @Test("A file that is no policy has one error", arguments: ["", "a: [", "- 1", "version: 1\nversion: 1\n"])
    func noPolicy(text: String) throws {
        let review = try Self.review(text)
        #expect(review.count(.error) == 1 && review.count(.warning) == 0, "\(review.findings)")
    }

    @Test("The number of errors is limited")
    func limit() throws {
        let surplus = (0..<300).map { "surplus\($0): 1\n" }.joined()
        #expect(try Self.review(Self.policy([], surplus)).count(.error) == PolicyReview.maximumErrors)
    }

    @Test("Each weak setting is a warning at its line, with its consequence")
    func weaknesses() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let root = folder.path("root.pem")
        try Data(TestAuthority(seed: "policies", notBefore: Evidence.time).rootPEM.utf8).write(
            to: URL(fileURLWithPath: root))
        let rules =
            [
                "minimumOSVersion", "minimumBundleVersion", "validationCategories",
            ].map { "apps[0].appAttest.\($0)" } + [
                "apps[1].playIntegrity.minimumVersionCode", "apps[1].playIntegrity.answers",
                "apps[2].approov.maximumLifetime", "apps[2].approov.keys",
            ]
        #expect(Set(Self.fields(try Self.review(Self.policy([])), .warning)) == Set(rules))
        let table: [(section: String, name: String, value: String, field: String, words: String)] = [
            ("appAttest", "environments", "[development]", "environments", "Xcode"),
            ("appAttest", "challenge", "caller", "challenge", "captured evidence passes again"),
            ("appAttest", "validationCategories", "[appStore, development]", "validationCategories", "Xcode"),
            ("appAttest", "receipt", "{ maximumAge: 2h }", "receipt.maximumAge", "2h is long"),
            ("appAttest", "testRoots", "[\"file:\(root)\"]", "testRoots", "can make evidence"),
            ("playIntegrity", "challenge", "caller", "challenge", "captured classic token"),
            ("playIntegrity", "answers", "caller", "answers", "writer of records"),
            ("playIntegrity", "freshness", "{ past: 1d }", "freshness.past", "1d is long"),
            ("playIntegrity", "freshness", "{ future: 1h }", "freshness.future", "1h is long"),
            ("playIntegrity", "appRecognition", "[UNRECOGNIZED_VERSION]", "appRecognition", "did not distribute"),
            (
                "playIntegrity", "deviceRecognition", "[{ minimumSDK: 28, require: MEETS_BASIC_INTEGRITY }]",
                "deviceRecognition", "boot loader"
            ),
            ("playIntegrity", "playProtect", "[HIGH_RISK]", "playProtect", "harmful"),
            (
                "playIntegrity", "locationSpoofing", "{ allow: [LOW_RISK_DEVIC] }", "locationSpoofing.allow[0]",
                "did you mean LOW_RISK_DEVICE?"
            ),
            ("approov", "failover", "accept", "failover", "bound to nothing"),
            (
                "approov", "annotations", "{ reject: [rooted, jailbrokn] }", "annotations.reject[1]",
                "did you mean jailbroken?"
            ),
            ("approov", "annotations", "{ note: [brandnew] }", "annotations.note[0]", "does not know \"brandnew\""),
            ("approov", "annotations", "{ others: ignore }", "annotations.others", "no verdict shows"),
            ("approov", "enforcement", "off", "enforcement", "lets requests through"),
            (
                "approov", "messageSigning", "{ signer: installation, replay: caller }", "messageSigning.replay",
                "passes again"
            ),
            ("approov", "proof", "{ tokens: encrypted }", "proof.tokens", "format: jwe"),
            ("approov", "textSigning", "{ replay: caller }", "textSigning.replay", "passes again"),
            (
                "approov", "messageSigning", "{ signer: installation, freshness: { past: 1h } }",
                "messageSigning.freshness.past", "1h is long"
            ),
        ]
        for entry in table {
            let text = Self.policy([(entry.section, entry.name, entry.value)])
            let review = try Self.review(text)
            let found = Self.problems(review, .warning).filter {
                $0.field.hasSuffix(".\(entry.section).\(entry.field)")
            }
            let line = text.split(separator: "\n").firstIndex { $0.hasPrefix("      \(entry.name): \(entry.value)") }
            #expect(review.count(.error) == 0 && found.count == 1, "\(entry): \(review.findings.map(\.description))")
            #expect(found.first?.line == line.map { $0 + 1 }, "\(entry): \(found)")
            #expect(found.first?.message.contains(entry.words) == true, "\(entry): \(found)")
        }
        let unbound = Self.policy([]).replacing("      binding: [Authorization]\n", with: "")
        #expect(Self.fields(try Self.review(unbound), .warning).contains("apps[2].approov.binding"))
        let none = Self.policy([("appAttest", "challenge", "caller"), ("appAttest", "clientData", "none")])
        #expect(Self.fields(try Self.review(none), .warning).contains("apps[0].appAttest.clientData"))
    }

    @Test(
        "What is in force is judged, not what is written: with tokens, answers is google unless the policy says caller")
    func answersInForce() throws {
        func warnings(_ answers: String, _ tokens: String) throws -> [String] {
            try Self.fields(
                Self.review(
                    """
                    version: 1
                    apps:
                      - name: shop
                        playIntegrity: { packageName: com.example.shop, certificateDigests: [\(String(repeating: "11", count: 32))]\(answers) }
                    \(tokens)
                    """), .warning
            ).filter { $0.hasSuffix(".answers") || $0.hasSuffix(".callerEvidence") }
        }
        let section = "    tokens: { issuer: \"https://a.example\", audiences: [b]"
        #expect(try warnings("", "") == ["apps[0].playIntegrity.answers"])
        #expect(try warnings(", answers: google", "") == [])
        #expect(try warnings("", section + " }") == [])
        #expect(try warnings(", answers: caller", section + " }") == ["apps[0].playIntegrity.answers"])
        #expect(
            try warnings(", answers: caller", section + ", callerEvidence: allow }")
                == ["apps[0].playIntegrity.answers", "apps[0].tokens.callerEvidence"])
    }

    @Test("A value that is wrong is no weak setting besides")
    func noConsequences() throws {
        let review = try Self.review(
            Self.policy([
                ("appAttest", "minimumOSVersion", "new"), ("approov", "binding", "{}"),
                ("playIntegrity", "minimumVersionCode", "-1"),
            ]))
        #expect(review.count(.error) == 3, "\(review.findings.map(\.description))")
        #expect(
            Set(Self.fields(review, .warning)) == [
                "apps[0].appAttest.minimumBundleVersion", "apps[0].appAttest.validationCategories",
                "apps[1].playIntegrity.answers", "apps[2].approov.maximumLifetime", "apps[2].approov.keys",
            ])
    }

    @Test("An Approov app without any key is a warning, unless it names keys, which the key store may have")
    func noKeys() throws {
        func warnings(_ keys: String, _ section: String) throws -> [String] {
            try Self.fields(
                Self.review("version: 1\n\(keys)apps: [{ name: api, approov: { maximumLifetime: 10m\(section) } }]\n"),
                .warning
            ).filter { $0.hasSuffix(".keys") }
        }
        #expect(try warnings("", "") == ["apps[0].approov.keys"])
        #expect(try warnings("", ", keys: [stored]").isEmpty)
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let secret = try folder.write("secret.b64", Data(repeating: 7, count: 64).base64EncodedString())
        try #require(chmod(secret, 0o600) == 0)
        func key(_ scope: String) -> String {
            "keys: [{ name: a, use: approov, for: \(scope), secret: \"file:\(secret)\" }]\n"
        }
        #expect(try warnings(key("api"), "").isEmpty)
        #expect(try warnings(key("other"), "") == ["apps[0].approov.keys"])
        // One that cannot be read is an error, and no warning besides.
        #expect(try warnings("keys: [{ name: a, use: approov, for: api, secret: \"file:none\" }]\n", "").isEmpty)
    }

    @Test("A relaxed check is a warning with the attack that it stops; its default is none")
    func modes() throws {
        let modes: [(check: String, mode: String, words: String?)] = [
            ("play-integrity.device-recognition", "off", "stops this"),
            ("play-integrity.device-recognition", "annotate", "rejects nothing"),
            ("play-integrity.device-recognition", "enforce", nil), ("play-integrity.licensing", "annotate", nil),
            ("play-integrity.licensing", "off", "not run"), ("play-integrity.licensing", "enforce", nil),
            ("approov.token.address", "off", nil),
        ]
        for entry in modes {
            let review = try Self.review(Self.policy([], "checks:\n  \(entry.check): \(entry.mode)\n"))
            let found = Self.problems(review, .warning).filter { $0.field.hasPrefix("checks.") }
            #expect(found.map(\.field) == (entry.words == nil ? [] : ["checks.\(entry.check)"]), "\(entry)")
            #expect(entry.words.map { found.first?.message.contains($0) == true } ?? true, "\(entry): \(found)")
        }
        let one = "version: 1\napps: [{ name: api, approov: {} }]\nchecks: { play-integrity.licensing: off }\n"
        let found = Self.problems(try Self.review(one), .warning).filter { $0.field.hasPrefix("checks.") }
        #expect(found.first?.message.contains("no effect") == true)
    }

    @Test("A check that is enforced needs its rule in one app; a policy that lacks it is refused at the check's line")
    func enforcedWithoutRule() throws {
        let rules: [(check: String, section: String, name: String, value: String)] = [
            ("app-attest.attestation.os-version", "appAttest", "minimumOSVersion", "\"16.0\""),
            ("app-attest.attestation.bundle-version", "appAttest", "minimumBundleVersion", "\"2\""),
            ("app-attest.assertion.bundle-version", "appAttest", "minimumBundleVersion", "\"2\""),
            ("app-attest.receipt.risk-metric", "appAttest", "receipt", "{ maximumRiskMetric: 10 }"),
            ("play-integrity.version-code", "playIntegrity", "minimumVersionCode", "42"),
            ("play-integrity.sdk-version", "playIntegrity", "minimumSDKVersion", "30"),
            ("play-integrity.device-activity", "playIntegrity", "maximumDeviceActivity", "LEVEL_3"),
            ("play-integrity.device-recall", "playIntegrity", "deviceRecall", "{ reject: [bitFirst] }"),
        ]
        for rule in rules {
            let end = "checks:\n  \(rule.check): enforce\n"
            let text = Self.policy([], end)
            let error = #expect(throws: PolicyError.self) { try PolicyFile.parse(text, path: "p.yaml") }
            #expect(error?.line == text.split(separator: "\n").count && error?.field == "checks.\(rule.check)")
            #expect(error?.message.contains("set \(rule.name)") == true, "\(String(describing: error))")
            #expect(throws: Never.self) {
                try PolicyFile.parse(Self.policy([(rule.section, rule.name, rule.value)], end), path: "p.yaml")
            }
            // The default mode needs no rule.
            #expect(throws: Never.self) { try PolicyFile.parse(Self.policy([]), path: "p.yaml") }
        }
    }

    @Test("Keys that are not in force or end soon are warnings at their window")
    func keys() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let secret = folder.path("secret")
        _ = FileManager.default.createFile(
            atPath: secret, contents: Data(Data(repeating: 7, count: 64).base64EncodedString().utf8),
            attributes: [.posixPermissions: 0o600])
        let keys = """
            keys:
              - { name: old, use: approov, secret: "file:\(secret)", notAfter: 2026-04-01T00:00:00Z }
              - { name: soon, use: approov, secret: "file:\(secret)", notAfter: 2026-05-01T00:00:00Z }
              - { name: next, use: approov, secret: "file:\(secret)", notBefore: 2026-05-01T00:00:00Z }
              - { name: good, use: approov, secret: "file:\(secret)", notAfter: 2027-05-01T00:00:00Z }
              - { name: lost, use: approov, secret: "file:\(secret)", for: shop-apii }

            """
        let review = try Self.review(Self.policy([], keys))
        #expect(review.count(.error) == 0, "\(review.findings.map(\.description))")
        let found = Self.problems(review, .warning).filter { $0.field.hasPrefix("keys") }
        #expect(found.map(\.field) == ["keys[0].notAfter", "keys[1].notAfter", "keys[2].notBefore", "keys[4].for"])
        for (error, words) in zip(found, ["remove it", "ends soon", "not in force before", "no app of the policy"]) {
            #expect(error.message.contains(words), "\(error)")
        }
    }

    @Test("A policy that was read has a note for each name in a list that is not known")
    func notes() throws {
        let text = Self.policy([
            ("approov", "annotations", "{ reject: [frda, rooted] }"),
            ("playIntegrity", "locationSpoofing", "{ allow: [LOW_RISK_MOON] }"),
        ])
        let notes = try PolicyFile.parse(text, path: "p.yaml").notes
        #expect(notes.count == 2, "\(notes)")
        #expect(notes.contains { $0.contains("annotations.reject[0]: ") && $0.contains("did you mean frida?") })
        #expect(notes.allSatisfy { $0.hasPrefix("p.yaml:") })
        #expect(try PolicyFile.parse(Self.policy([]), path: "p.yaml").notes.isEmpty)
    }
}
