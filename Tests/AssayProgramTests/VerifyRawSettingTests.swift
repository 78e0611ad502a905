import Assay
import AssayCore
import AssayInspection
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify --set")
struct VerifyRawSettingTests {
    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("root.pem", Data(TestEvidence.authority().rootPEM.utf8))
        try scratch.write("blob", TestEvidence.attestation().attestation)
        return scratch
    }

    private static let evidence = [
        "verify", "--kind", "app-attest.attestation", "--key-id", TestEvidence.keyID, "--challenge", "challenge",
        "blob",
    ]
    private static let app = ["--app-id", TestEvidence.appID, "--test-root", "root.pem"]

    @Test("Every policy field can be set by its path, as YAML, and together with options for fields")
    func fields() throws {
        let scratch = try scratch()
        let set = ["--set", "appIDs=\(TestEvidence.appID)", "--set", "testRoots=file:root.pem"]
        let table: [(options: [String], status: Int32)] = [
            (set, 0), (Self.app + ["--set", "environments=production"], 0),
            (Self.app + ["--set", "environments=[production, development]"], 0),
            (Self.app + ["--set", "environments=development"], 1),
            (Self.app + ["--set", "minimumOSVersion={ iOS: \"1.0\", macOS: \"1.0\" }"], 0),
            (Self.app + ["--set", "minimumOSVersion=99.0", "--set", "receipt.maximumAge=5m"], 1),
        ]
        for entry in table {
            let run = try scratch.run(Self.evidence + entry.options)
            #expect(run.status == entry.status, "\(entry.options): \(run.errors)\(run.output)")
        }
    }

    @Test("The mode of a check is set by its full name or its name within the kind")
    func modes() throws {
        let scratch = try scratch()
        let old = Self.evidence + Self.app + ["--set", "minimumOSVersion=99.0", "--json"]
        func annotated(_ run: Run) throws -> [String] { try run.json().first?["annotated"] as? [String] ?? [] }
        for name in ["os-version", "app-attest.attestation.os-version"] {
            let run = try scratch.run(old + ["--set", "checks.\(name)=annotate"])
            #expect(run.status == 0, "\(run.errors)\(run.output)")
            #expect(try annotated(run) == ["app-attest.attestation.os-version"])
        }
    }

    @Test("An invalid --set is refused with the field or check, the value found and the allowed values")
    func refusals() throws {
        let scratch = try scratch()
        try scratch.policy()
        let table: [(options: [String], words: String)] = [
            (["--set", "apIDs=x"], "--set apIDs: unknown field; allowed are appIDs, environments"),
            (["--set", "receipt.maximumAge=soon"], "--set receipt.maximumAge: expected a length of time"),
            (
                ["--set", "receipt.age=5m"],
                "--set receipt.age: unknown field; allowed are maximumAge, maximumRiskMetric"
            ),
            (["--set", "counter=up"], "--set counter: expected increasing, successor or window(N)"),
            (
                ["--set", "counter=increasing", "--set", "counter=successor"],
                "--set counter: the field has a value already"
            ),
            (["--set", "clientData=raw", "--set", "clientData.challengeAt=/a"], "given as a whole"),
            (["--set", "validationCategories=[appStore"], "--set validationCategories: "),
            (["--set", "checks.os-versoin=off"], "did you mean app-attest.attestation.os-version"),
            (
                ["--set", "checks.nonce=off"],
                "--set checks.nonce: app-attest.attestation.nonce is a gate"
            ),
            (
                [
                    "--set", "checks.os-version=enforce", "--set",
                    "checks.app-attest.attestation.os-version=off",
                ], "os-version: the check has a mode already"
            ),
            (["--set", "checks.os-version=maybe"], "expected one of enforce, annotate, off"),
            (["--set", "counter"], "expected FIELD=VALUE"), (["--set", "=x"], "expected FIELD=VALUE"),
            (["--set", "receipt..age=1m"], "expected names with a period between two"),
        ]
        for entry in table {
            let run = try scratch.run(Self.evidence + Self.app + entry.options)
            #expect(run.status == 64, "\(entry.options): \(run.errors)\(run.output)")
            #expect(run.errors.contains(entry.words), "\(entry.words) is not in \(run.errors)")
        }
        let policy = try scratch.run(Self.evidence + ["--policy", "policy.yaml", "--set", "counter=successor"])
        #expect(
            policy.status == 64 && policy.errors.contains("--set and --policy exclude each other"), "\(policy.errors)")
        let records = try scratch.run(["verify", "--policy", "policy.yaml", "--set", "counter=successor", "blob"])
        #expect(records.status == 64 && records.errors.contains("name its kind with --kind"), "\(records.errors)")
        let root = try scratch.run(Self.evidence + ["--app-id", TestEvidence.appID, "--test-root", "missing.pem"])
        #expect(root.status == 2 && root.errors.contains("--test-root: "), "\(root.errors)")
    }

    @Test(
        "The engine's schema declares the field of every option, and the policy reader accepts it")
    func declarations() throws {
        for engine in EngineRegistry.standard.inspectable {
            let paths = engine.configuration.fields.map(\.path)
            #expect(Set(paths).count == paths.count)
            for kind in engine.rawKinds {
                #expect(engine.kinds.contains(kind.kind))
                #expect(Set(kind.options.map(\.name)).count == kind.options.count)
                for path in kind.options.compactMap({ $0.alias?.field.path ?? $0.key?.field })
                    + kind.defaults.map(\.path)
                {
                    #expect(paths.contains(path), "\(kind.kind): \(path)")
                }
            }
        }
    }
}
