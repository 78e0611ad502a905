import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// `assay replay` as a process.
@Suite("assay replay")
struct ReplayCommandTests {
    /// A corpus with an attestation, assertions of its key, one of them twice, and an invalid line.
    private static func corpus(_ scratch: Scratch, broken: Bool = false) throws -> [String] {
        try scratch.policy()
        var lines = [
            try TestEvidence.attestationLine("attested"), try TestEvidence.assertionLine("first", counter: 1),
            try TestEvidence.assertionLine("second", counter: 2), try TestEvidence.assertionLine("again", counter: 2),
        ]
        if broken { lines.insert("{\"id\": \"torn\", \"kind\"", at: 2) }
        try scratch.write("corpus.ndjson", Data(lines.joined(separator: "\n").utf8))
        return lines
    }

    @Test("Verdicts as JSON equal those of verify, byte for byte, in the order of the corpus")
    func json() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        let verify = try scratch.assay("verify", "--policy", "policy.yaml", "--as-captured", "--json", "corpus.ndjson")
        for jobs in ["1", "2", "7"] {
            let replay = try scratch.assay(
                "replay", "corpus.ndjson", "--policy", "policy.yaml", "--json", "--jobs", jobs)
            #expect(replay.output == verify.output)
            #expect(replay.status == 0, "rejected evidence is what a replay is for: \(replay.errors)")
            #expect(replay.errors == "")
        }
    }

    @Test("The text shows the outcome, and the reason of a rejection with an example")
    func text() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        let run = try scratch.assay("replay", "corpus.ndjson")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("4 records: 3 accepted, 1 rejected, 0 not judged"))
        #expect(run.output.contains("app-attest.assertion.counter"))
        #expect(run.output.contains("for example again: counter 2 is not greater than the stored 2"))
        #expect(run.output.contains("hint: see `assay explain app-attest.assertion.counter`"))
        #expect(!run.errors.contains("\u{1B}"), "no progress where there is no terminal")
        let tables = try scratch.assay("replay", "corpus.ndjson", "--rejected")
        #expect(tables.output.contains("REJECTED  corpus.ndjson:4 (again)"))
        #expect(!tables.output.contains("ACCEPTED"))
    }

    @Test("Unreadable records are reported by file and line, and the others are judged")
    func broken() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch, broken: true)
        let run = try scratch.assay("replay", "corpus.ndjson", "--json")
        #expect(run.status == 2)
        #expect(run.errors.contains("error: corpus.ndjson:3: byte 21: "))
        let lines = try run.json()
        #expect(lines.count == 5)
        #expect(lines[2]["line"] as? Int == 3)
        #expect((lines[2]["error"] as? [String: String])?["code"] == "unreadable")
        #expect(lines[4]["id"] as? String == "again")
    }

    @Test("--strict stops at the first unreadable record", arguments: ["1", "3"])
    func strict(jobs: String) throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch, broken: true)
        let run = try scratch.assay("replay", "corpus.ndjson", "--json", "--strict", "--jobs", jobs)
        #expect(run.status == 2)
        #expect(try run.json().count == 3)
        let text = try scratch.assay("replay", "corpus.ndjson", "--strict", "--jobs", jobs)
        #expect(text.output.contains("3 records: 2 accepted, 0 rejected, 1 not judged"))
    }

    @Test("The first ten unreadable records are reported, and the total number")
    func manyBroken() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let whole = try TestEvidence.attestationLine("whole")
        try scratch.write("corpus.ndjson", Data((whole + "\n" + String(repeating: "{\n", count: 1234)).utf8))
        let run = try scratch.assay("replay", "corpus.ndjson", "--jobs", "2")
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").count == 11)
        #expect(run.errors.contains("corpus.ndjson: 1224 more records that could not be judged"))
    }

    @Test("A verdict other than the expected one is a mismatch, with status 1")
    func expectations() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let expected = EvidenceRecord.Expectation(outcome: .reject, failed: ["app-attest.attestation.nonce"])
        try scratch.write(
            "corpus.ndjson", Data(TestEvidence.attestationLine("surprise", expect: expected).utf8))
        let run = try scratch.assay("replay", "corpus.ndjson")
        #expect(run.status == 1)
        #expect(
            run.errors.contains(
                "mismatch: corpus.ndjson:1 (surprise): the verdict is accept; the record expects reject "
                    + "app-attest.attestation.nonce"))
        #expect(run.output.contains("1 record had another verdict than expected"))
    }

    @Test("A comparison lists the records with another outcome, in text, JSON and report")
    func comparison() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        try scratch.policy("other.yaml", appID: "1234567890.com.example.other")
        let text = try scratch.assay("replay", "corpus.ndjson", "--against", "other.yaml", "--changed")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.contains("under other.yaml: 0 accepted, 4 rejected"))
        #expect(text.output.contains("other.yaml would lose 3 of 3 accepted requests (100%) from 1 device."))
        #expect(text.output.contains("  2  app-attest.assertion.app-id  no longer accepted, from 1 device\n"))
        #expect(text.output.contains("  2  app-attest.assertion  66.7% of 3 records\n"))
        #expect(
            text.output.contains("corpus.ndjson:1 (attested): accepted, then rejected (app-attest.attestation.app-id"))
        let anew = try scratch.assay("replay", "corpus.ndjson", "--against", "other.yaml", "--enrol-anew", "--changed")
        #expect(anew.output.contains("app-attest.assertion.key"), "\(anew.output)")
        let cause = "app-attest.attestation.app-id"
        #expect(anew.output.contains("because corpus.ndjson:1 (attested) fails \(cause)"))
        #expect(anew.output.contains("  3  \(cause)  no longer accepted, from 1 device, 2 as a consequence\n"))
        let csv = try scratch.assay("replay", "corpus.ndjson", "--against", "other.yaml", "--enrol-anew", "--csv")
        #expect(csv.lines.contains("no longer accepted as a consequence by cause,\(cause),2,,,,,"))
        let changes = try scratch.assay(
            "replay", "corpus.ndjson", "--against", "other.yaml", "--enrol-anew", "--changed", "--json"
        ).json()
        #expect(changes.map { $0["id"] as? String } == ["attested", "first", "second"])
        let causes = changes.map { $0["cause"] as? [String: Any] }
        #expect(causes.allSatisfy { $0?["check"] as? String == cause && $0?["id"] as? String == "attested" })
        #expect(causes.map { $0?["consequence"] as? Bool } == [false, true, true])
        let json = try scratch.assay("replay", "corpus.ndjson", "--against", "other.yaml", "--json").json()
        #expect((json.first?["against"] as? [String: Any])?["outcome"] as? String == "reject")
        let written = try scratch.assay(
            "replay", "corpus.ndjson", "--against", "other.yaml", "--report", "r.html")
        #expect(written.status == 0)
        #expect(scratch.exists("r.html"))
    }

    @Test("A record that only the second policy cannot judge is reported; the status is 2")
    func unjudgedAgainst() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        let other = """
            version: 1
            apps:
              - name: other
                playIntegrity:
                  packageName: com.example.other
                  certificateDigests: [iSYNNGUmJLwgYII76ctW5EzlO19GTSigk5fl5fIbK4A]
            """
        try scratch.write("other.yaml", Data(other.utf8))
        let run = try scratch.assay("replay", "corpus.ndjson", "--against", "other.yaml")
        #expect(run.status == 2)
        #expect(run.errors.contains("error: corpus.ndjson:1 (attested), under --against: "))
        #expect(run.errors.contains("(unknown-app)"))
        #expect(run.output.contains("4 records: 3 accepted, 1 rejected, 0 not judged"))
        let strict = try scratch.assay("replay", "corpus.ndjson", "--against", "other.yaml", "--strict", "--json")
        #expect(strict.status == 2)
        #expect(strict.lines.count == 1)
    }

    @Test(
        "Invalid combinations of arguments are refused",
        arguments: [
            ["-"], ["c", "--jobs", "0"], ["c", "--at", "2026-01-01T00:00:00Z", "--now"], ["c", "--changed"],
            ["c", "--json", "--rejected"], ["c", "--nearest-policy"], ["c", "--enrol-anew"],
            ["c", "--policy", "p", "--master-key", "file:m"], [],
        ])
    func usage(arguments: [String]) throws {
        let scratch = try Scratch()
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        #expect(try scratch.shell("\"$ASSAY\" replay \(quoted)").status == 64, "\(quoted)")
    }

    @Test("An unreadable policy is reported once, for any number of files below it")
    func repeatedPolicy() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let expected = EvidenceRecord.Expectation(outcome: .accept, failed: [])
        let line = try TestEvidence.attestationLine("attested", expect: expected)
        _ = try scratch.shell("mkdir c && echo 'version: nine' >c/policy.yaml")
        for name in 0..<5 { try scratch.write("c/\(name).json", Data(line.utf8)) }
        let run = try scratch.assay("replay", "c")
        #expect(run.status == 2)
        let errors = run.errors.split(separator: "\n")
        #expect(errors.count == 2, "\(run.errors)")
        #expect(errors.first?.hasPrefix("error: c/0.json") == true)
        #expect(errors.first?.contains(" (attested): its policy cannot be read: ") == true)
        #expect(errors.first?.hasSuffix("(policy-unreadable); the record expects accept") == true)
        #expect(errors.last == "error: 4 more records whose policy, named above, cannot be read")
        #expect(run.output.contains("5 records: 0 accepted, 0 rejected, 5 not judged"))
        #expect(run.output.contains("5 records had another verdict than expected"))
    }

    @Test("A missing corpus has no records, and ends the replay before anything is judged")
    func missing() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("corpus.ndjson", Data(TestEvidence.attestationLine("x").utf8))
        let run = try scratch.assay(
            "replay", "corpus.ndjson", "nowhere.json", "policy.yaml/x", "--policy", "policy.yaml")
        #expect(run.status == 2 && run.output.isEmpty, "\(run.output)")
        #expect(
            run.errors == "error: nowhere.json, policy.yaml/x: there is no such file or folder; nothing was judged\n")
    }

    @Test("An unreadable policy and a missing one are reported")
    func policies() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        let missing = try scratch.assay("replay", "corpus.ndjson", "--policy", "none.yaml")
        #expect(missing.status == 2)
        #expect(missing.errors.contains("none.yaml"))
        try FileManager.default.removeItem(atPath: scratch.path("policy.yaml"))
        let none = try scratch.assay("replay", "corpus.ndjson")
        #expect(none.status == 2)
        #expect(none.errors.contains("give --policy (no-policy)"))
    }

    @Test("If the output cannot be written, the replay ends with an error; for a closed pipe without one")
    func output() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        let full = try scratch.shell("\"$ASSAY\" replay corpus.ndjson --json >/dev/full")
        #expect(full.status == 74)
        #expect(full.errors.contains("standard output cannot be written"))
        let report = try scratch.assay("replay", "corpus.ndjson", "--report", "no/such/folder/r.html")
        #expect(report.status == 74)
        #expect(report.errors.contains("r.html"))
        let gone = try scratch.shell(
            "for i in $(seq 300); do cat corpus.ndjson; echo; done >many.ndjson; "
                + "\"$ASSAY\" replay many.ndjson --json | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}")
        #expect(gone.status == 141)
        #expect(gone.errors == "")
    }

    @Test("The report is the same, whatever the number of jobs")
    func reportOfJobs() throws {
        let scratch = try Scratch()
        let lines = try Self.corpus(scratch, broken: true)
        let many = Array(repeating: lines.joined(separator: "\n"), count: 100).joined(separator: "\n")
        try scratch.write("corpus.ndjson", Data(many.utf8))
        for jobs in ["1", "2", "7"] {
            let run = try scratch.assay("replay", "corpus.ndjson", "--report", "\(jobs).html", "--jobs", jobs)
            #expect(run.status == 2)
        }
        let pages = try ["1", "2", "7"].map { try String(contentsOfFile: scratch.path("\($0).html"), encoding: .utf8) }
        #expect(pages[0] == pages[1] && pages[1] == pages[2])
        #expect(pages[0].contains("500 records: "))
    }

    @Test(
        "On a full disk the older report is unchanged, and no partial one remains",
        .enabled(if: Sanitizer.isOff, Comment(rawValue: Sanitizer.filesHint)))
    func fullDisk() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        try scratch.write("r.html", Data("older".utf8))
        let before = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).sorted()
        // A file size limit of 4 KiB simulates a disk that becomes full during writing.
        let run = try scratch.shell("ulimit -f 4; \"$ASSAY\" replay corpus.ndjson --report r.html >/dev/null")
        #expect(run.status == 74)
        #expect(run.errors == "error: r.html cannot be written: File too large\n")
        #expect(try String(contentsOfFile: scratch.path("r.html"), encoding: .utf8) == "older")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).sorted() == before)
        let full = try scratch.assay("replay", "corpus.ndjson", "--report", "/dev/full")
        #expect(full.status == 74)
        #expect(full.errors == "error: /dev/full cannot be written: No space left on device\n")
    }

    @Test("A missing ledger is an outage")
    func outage() throws {
        let scratch = try Scratch()
        _ = try Self.corpus(scratch)
        let run = try scratch.assay("replay", "corpus.ndjson", "--ledger", "sqlite:none.sqlite")
        #expect(run.status == 3)
        #expect(!scratch.exists("none.sqlite"))
    }

    @Test(
        "All test vectors and all captures are replayed in one command without a mismatch",
        .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
    func vectors() throws {
        let scratch = try Scratch()
        let root = try #require(SharedFiles.root).appendingPathComponent("vectors")
        let copied = try scratch.shell(
            """
            mkdir all && cp -r '\(TestVectors.folder.path)' '\(root.path)'/app-attest '\(root.path)'/app-attest-receipts \
              '\(root.path)'/play-integrity '\(root.path)'/approov all/ && chmod -R u+w all && find all -name '*.b64' -exec chmod 600 {} +
            """)
        try #require(copied.status == 0, "\(copied.errors)")
        var outputs: Set<String> = []
        for jobs in ["1", "2"] {
            let run = try scratch.assay(
                "replay", "all", "--policy", "all/app-attest/policy.yaml", "--nearest-policy", "--ledger-per-file",
                "--challenges", "none", "--jobs", jobs, "--json")
            #expect(!run.errors.contains("mismatch"), "\(run.errors.prefix(2000))")
            #expect(run.status == 2, "some vectors are records that cannot be read")
            let records = try run.json()
            #expect(records.count > 1300)
            #expect(records.count { $0["outcome"] as? String == "accept" } > 200)
            let failures = records.filter { $0["error"] != nil }
            #expect(
                failures.allSatisfy { !["no-policy", "no-time"].contains(($0["error"] as? [String: String])?["code"]) })
            outputs.insert(run.output)
        }
        #expect(outputs.count == 1)
    }
}
