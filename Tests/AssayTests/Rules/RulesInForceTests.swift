import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayService
import AssayTestSupport
import AssayVectors
import Foundation
import Testing

/// A rule that a policy states rejects evidence that does not meet it, or `policy check` warns of it.
@Suite("Rules in force")
struct RulesInForceTests {
    private static let rules =
        AppAttestRules.all + PlayIntegrityRules.all + AndroidKeyRules.all + ApproovRules.all + NoEvidenceRules.all

    private static func files(_ engine: String) throws -> [VectorFile] { try MintedVectors.committed(engine).files }

    @Test(
        "The signal behind each field of a policy, as the field does not allow it, is rejected, or the field is warned of",
        arguments: rules)
    func inForce(_ rule: StatedRule) async throws {
        let files = try Self.files(rule.engine)
        switch rule.consequence {
        case .rejected(let check):
            let stated = try rule.policy(files, isStated: true).policy
            let verdict = try #require(try await rule.verdict(files, under: stated), "no such evidence")
            #expect(verdict.outcome == .reject)
            let failed = verdict.failed.map(\.name)
            #expect(check == "*" || failed.contains("\(rule.engine).\(check)"), "\(failed)")
            // Vectors of policies that state more, and evidence that is changed, are rejected before, too.
            guard rule.evidence.part == nil, !rule.evidence.file.hasPrefix("revocation/") else { return }
            let before = try rule.policy(files, isStated: false).policy
            let accepted = try #require(try await rule.verdict(files, under: before))
            #expect(accepted.outcome == .accept, "\(accepted.failed)")
        case .withoutKey:
            let stated = try rule.policy(files, isStated: true).policy
            let error = await #expect(throws: VerificationError.self) { try await rule.verdict(files, under: stated) }
            guard case .request(let request) = error else {
                Issue.record("\(error.debugDescription)")
                return
            }
            #expect(request.reason == .noKey)
            let before = try rule.policy(files, isStated: false).policy
            #expect(try await rule.verdict(files, under: before)?.outcome == .accept)
        case .warned:
            let text = try rule.policy(files, isStated: true).text
            let folder = try TestFolder()
            for file in files where !file.path.hasSuffix(".json") {
                let url = folder.url.appendingPathComponent(file.path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.contents.utf8).write(to: url)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            }
            let path = folder.path("\(rule.folder)policy.yaml")
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let review = PolicyReview(path: path, engines: .standard, at: Date(timeIntervalSince1970: 1_789_992_000))
            #expect(review.count(.error) == 0, "\(review.findings.map(\.description))")
            let warned = review.findings.filter { $0.severity == .warning }.map(\.problem.field)
            #expect(
                warned.contains {
                    $0.hasSuffix(".\(rule.section).\(rule.field)") || $0.hasSuffix(".\(rule.section).\(rule.name)")
                },
                "\(warned)")
            withExtendedLifetime(folder) {}
        }
    }

    @Test(
        "A limit that is no length of time is refused at its field",
        arguments: rules.filter { $0.name == $0.field && $0.value.wholeMatch(of: /(\d+[ydhms])+/) != nil })
    func durations(_ rule: StatedRule) throws {
        for text in ["soon", "-1d", "+1d", "1.5d", "1", "5m1h", "\"\"", "[1d]", "{}"] {
            var wrong = rule
            wrong.value = text
            let error = #expect(throws: PolicyError.self, "\(text)") {
                try wrong.policy(Self.files(rule.engine), isStated: true)
            }
            #expect(error?.field.hasSuffix(".\(rule.section).\(rule.field)") == true, "\(text): \(error?.field ?? "")")
            #expect(error?.message.hasPrefix("expected a length of time") == true, "\(text): \(error?.message ?? "")")
        }
    }

    @Test("Every field of every engine is in the tables, or a test of other evidence has it")
    func complete() throws {
        let others = [
            AppAttestRules.section: AppAttestRules.others, PlayIntegrityRules.section: PlayIntegrityRules.others,
            AndroidKeyRules.section: AndroidKeyRules.others, ApproovRules.section: ApproovRules.others,
            NoEvidenceRules.section: NoEvidenceRules.others,
        ]
        for section in EngineRegistry.standard.configurations {
            let name = section.policyField
            // Tokens are judged by AssayTokensTests, DeviceCheck's answers by AssayPlatformsTests.
            guard let others = others[name] else { continue }
            let stated = Set(Self.rules.filter { $0.section == name }.map(\.field))
            let declared = Set(section.fields.map(\.path))
            let parents = declared.filter { path in declared.contains { $0.hasPrefix("\(path).") } }
            #expect(
                declared.subtracting(parents).subtracting(stated).subtracting(others.keys).sorted() == [], "\(name)")
            #expect(Set(others.keys).subtracting(declared).sorted() == [], "\(name)")
            #expect(Set(others.keys).intersection(stated).sorted() == [], "\(name)")
            for (field, place) in others where place.contains(".swift ") {
                let parts = place.split(separator: " ")
                let file = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Tests/\(parts[0])")
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains("func \(parts[1])("), "\(field): \(place)")
            }
        }
    }

    // MARK: Modes

    private static let digest = String(repeating: "11", count: 32)

    private static func policy(_ first: String, _ second: String = "", checks: String = "") -> String {
        func app(_ name: String, _ lines: String) -> String {
            """
              - name: \(name)
                playIntegrity:
                  packageName: com.example.\(name)
                  certificateDigests: ["\(digest)"]
            \(lines)

            """
        }
        return "version: 1\napps:\n" + app("one", first) + app("two", second) + checks
    }

    private static func modes(_ text: String) throws -> [[CheckMode?]] {
        let policy = try PolicyFile.parse(text, path: "policy.yaml")
        return policy.apps.map { app in
            ["play-protect", "licensing", "app-access-risk", "location-spoofing"].map {
                policy.modes(of: app)[CheckID("play-integrity.\($0)")]
            }
        }
    }

    @Test("A rule is enforced for the app that states it, and for no other; a mode in `checks` counts for all")
    func modes() throws {
        let stated = "      playProtect: [NO_ISSUES]\n      appAccessRisk: { reject: [UNKNOWN_CONTROLLING] }"
        #expect(
            try Self.modes(Self.policy(stated)) == [
                [.enforce, .annotate, .enforce, .annotate], [.annotate, .annotate, .annotate, .annotate],
            ])
        #expect(
            try Self.modes(Self.policy(stated, checks: "checks: { play-integrity.play-protect: annotate }\n")) == [
                [.annotate, .annotate, .enforce, .annotate], [.annotate, .annotate, .annotate, .annotate],
            ])
        #expect(
            try Self.modes(Self.policy("", checks: "checks: { play-integrity.licensing: enforce }\n")) == [
                [.annotate, .enforce, .annotate, .annotate], [.annotate, .enforce, .annotate, .annotate],
            ])
    }

    private static func findings(_ text: String) -> [String] {
        PolicyReview(text: text, path: "policy.yaml", engines: .standard, at: Date()).findings.map(\.description)
    }

    @Test(
        "`policy check` warns of a mode that takes a stated rule out of force, and of an enforced check without a rule")
    func warnings() throws {
        let stated = "      playProtect: [NO_ISSUES]"
        for mode in ["annotate", "off"] {
            let found = Self.findings(Self.policy(stated, checks: "checks: { play-integrity.play-protect: \(mode) }\n"))
            #expect(
                found.contains { $0.contains("warning: checks.play-integrity.play-protect: \(mode): ") }, "\(found)")
        }
        let plain = Self.findings(Self.policy("", checks: "checks: { play-integrity.play-protect: annotate }\n"))
        #expect(!plain.contains { $0.contains("checks.play-integrity.play-protect") }, "the default")
        let one = Self.findings(
            Self.policy("      minimumSDKVersion: 30", checks: "checks: { play-integrity.sdk-version: enforce }\n"))
        let warning = one.filter { $0.contains("checks.play-integrity.sdk-version") }
        #expect(
            warning.count == 1 && warning[0].contains("app two") && warning[0].contains("minimumSDKVersion"), "\(one)")
    }

    @Test("`policy show` prints a policy with the same modes for every app")
    func shown() throws {
        for text in [
            Self.policy("      playProtect: [NO_ISSUES]"),
            Self.policy(
                "      playProtect: [NO_ISSUES]", "      playProtect: [NO_ISSUES]\n      licensing: [LICENSED]"),
            Self.policy("      licensing: [LICENSED]", checks: "checks: { play-integrity.licensing: annotate }\n"),
            Self.policy("", ""),
        ] {
            let shown = try PolicyFile.effectiveText(of: text, path: "policy.yaml", engines: .standard)
            #expect(try Self.modes(shown) == Self.modes(text), "\(shown)")
            #expect(try PolicyFile.effectiveText(of: shown, path: "policy.yaml", engines: .standard) == shown)
        }
    }

    @Test(
        "`policy check` warns of a kind that deviceCheck requires and the app lacks",
        arguments: [
            ("play-integrity.classic", "playIntegrity"), ("app-attest.request", "appAttest.requests"),
            ("approov.message", "approov"), ("android-key.attestation", "androidKey"),
        ])
    func deviceCheckKinds(kind: String, lacking: String) throws {
        func findings(_ kind: String) -> [String] {
            Self.findings(
                """
                version: 1
                apps:
                  - name: shop
                    appAttest:
                      appIDs: [ABCDE12345.com.example.shop]
                      environments: [production]
                      challenge: ledger
                      clientData: raw
                    deviceCheck:
                      appID: ABCDE12345.com.example.shop
                      bits: bit0
                      required: [\(kind)]
                """)
        }
        let found = findings(kind).filter { $0.contains("deviceCheck.required[0]") }
        #expect(found.count == 1 && found[0].contains("warning") && found[0].contains("no \(lacking)"), "\(found)")
        #expect(!findings("app-attest.attestation").contains { $0.contains("deviceCheck.required") })
    }
}
