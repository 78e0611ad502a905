import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import AssayTesting
import Foundation
import PlayIntegrity
import Testing

@Suite("assay verify, records")
struct VerifyRecordsTests {
    @Test("Without --policy, the policy.yaml beside the records is used and named; for standard input there is none")
    func foundPolicy() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            at: scratch.folder.appendingPathComponent("captures"), withIntermediateDirectories: false)
        try scratch.policy()
        let line = try TestEvidence.attestationLine("x")
        for name in ["x.json", "y.json", "captures/z.json"] { try scratch.write(name, Data(line.utf8)) }
        let verify = ["verify", "--as-captured", "--json"]
        let found = try scratch.run(verify + ["x.json"])
        #expect(
            found.status == 0 && found.errors.contains("the policy is policy.yaml; --policy names another"), "\(found)")
        #expect(try found.output == scratch.run(verify + ["--policy", "policy.yaml", "x.json"]).output)
        #expect(try scratch.run(verify + ["x.json", "y.json"]).lines.count == 2)
        // Without a word on the policy it must be named.
        #expect(try scratch.run(["verify", "--as-captured", "--quiet", "x.json"]).status == 64)
        let none = try scratch.run(verify + ["captures/z.json"])
        #expect(none.status == 64 && none.errors.contains("--policy is required for records"), "\(none)")
        let input = try scratch.run(verify + ["-"], input: line)
        #expect(input.status == 64 && input.errors.contains("--policy is required for records"), "\(input)")
        for files in [["x.json", "captures/z.json"], ["x.json", "-"]] {
            let several = try scratch.run(verify + files)
            #expect(several.status == 64 && several.errors.contains("give --policy"), "\(several)")
        }
        // A policy with an error is not passed over.
        try scratch.write("captures/policy.yaml", Data("version: 1\napps: []\n".utf8))
        let broken = try scratch.run(verify + ["captures/z.json"])
        #expect(broken.status == 2 && broken.errors.contains("captures/policy.yaml:2"), "\(broken)")
    }

    @Test("Records from standard input are judged in order, with one verdict per line")
    func standardInput() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let lines = try [
            TestEvidence.attestationLine("first"), TestEvidence.assertionLine("second", counter: 1),
            TestEvidence.assertionLine("replay", counter: 1),
        ]
        let run = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--as-captured", "--json", "-", input: lines.joined(separator: "\n"))
        #expect(run.status == 1)
        let verdicts = try run.json()
        #expect(verdicts.map { $0["id"] as? String } == ["first", "second", "replay"])
        #expect(verdicts.map { $0["outcome"] as? String } == ["accept", "accept", "reject"])
        #expect(verdicts.last?["failed"] as? [String] == ["app-attest.assertion.counter"])
        #expect(run.errors.isEmpty)
    }

    /// Makes a ledger forget the used evidence of an app that was made by a time.
    private func forget(_ path: String, app: String, kind: EvidenceKind, madeBy time: Date) async throws {
        let later = time + 86_400
        let ledger = try SQLiteLedger.open(path: path, purging: .byClock { later })
        for (byte, use) in [(UInt8(1), time), (2, later)] {
            let digest = UsedDigest(
                digest: [byte], app: app, kind: kind, madeAt: use, usedAt: use, until: use + 300)
            let effect = LedgerEffect(.playIntegrityChallenge, .rememberDigest(digest))
            try #require(try await ledger.commit([effect], at: use).isApplied)
        }
        try await ledger.close()
    }

    @Test("Evidence older than the purge horizon is an outage; other records are judged")
    func forgotten() async throws {
        let scratch = try Scratch()
        let policy = """
            version: 1
            apps:
              - name: shop
                playIntegrity:
                  packageName: \(TestTokens.packageName)
                  certificateDigests: ["\(TestTokens.hexDigest)"]
                  challenge: ledger
            """
        try scratch.write("policy.yaml", Data(policy.utf8))
        try await forget(
            scratch.folder.appendingPathComponent("l.sqlite").path, app: "shop",
            kind: EvidenceKind.playIntegrityStandard,
            madeBy: TestEvidence.time)
        // The horizon is a whole minute: at most 60 seconds later than the purged entry.
        let lines = try [("first", 61.0), ("forgotten", -1), ("last", 120)].map { id, seconds in
            let time = TestEvidence.time + seconds
            let answer = StandardAnswerBlueprint(
                packageName: TestTokens.packageName, requestHash: id, certificateDigests: [TestTokens.digest],
                issuedAt: time
            ).mint().body
            let record: [String: Any] = [
                "id": id, "kind": "play-integrity.standard", "receivedAt": RFC3339.format(time),
                "evidence": [
                    "packageName": TestTokens.packageName, "requestHash": id,
                    "decoded": try JSONSerialization.jsonObject(with: Data(answer)),
                ],
            ]
            return String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
        }
        let run = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--as-captured", "--json", "--ledger", "sqlite:l.sqlite", "-",
            input: lines.joined(separator: "\n"))
        #expect(run.status == 3, "\(run.errors)")
        let verdicts = try run.json()
        #expect(verdicts.map { $0["id"] as? String } == ["first", "last"], "\(run.errors)")
        #expect(verdicts.allSatisfy { $0["outcome"] as? String == "accept" })
        #expect(run.errors.contains("ledger outage (forgotten)"), "\(run.errors)")
        #expect(run.errors.contains("record forgotten is not judged"), "\(run.errors)")
    }

    @Test("An unreadable record is named by file, record, line, byte and field; the others are judged")
    func brokenLine() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let good = try TestEvidence.attestationLine("good")
        let received = #""receivedAt": "2026-01-01T00:00:00Z""#
        let table: [(line: String, named: [String])] = [
            (#"{"id": "bad", "kind": "#, ["record 2", "line 2", "byte"]),
            (
                #"{"id": "bad", "kind": "x", "evidence": {}, "surplus": 1}"#,
                ["record bad", "line 2", "byte", "field surplus"]
            ),
            (
                #"{"id": "bad", "kind": "app-attest.attestation", \#(received), "evidence": {"keyId": "?"}}"#,
                ["record bad", "line 2", "byte", "field evidence.keyId"]
            ),
            (
                #"{"id": "bad", "kind": "unheard-of", \#(received), "evidence": {}}"#,
                ["record bad", "line 2", "unknown kind unheard-of"]
            ),
            (
                #"{"id": "bad", "kind": "app-attest.attestation", "evidence": {}}"#,
                ["record bad", "line 2", "no receivedAt"]
            ),
        ]
        for entry in table {
            try scratch.write("records", Data("\(good)\n\(entry.line)\n\(good)\n".utf8))
            let run = try scratch.assay("verify", "--policy", "policy.yaml", "--as-captured", "--json", "records")
            #expect(run.status == 2, "\(entry.line)")
            #expect(try run.json().count == 2, "\(entry.line)")
            for word in ["error: records:"] + entry.named where !word.isEmpty {
                #expect(run.errors.contains(word), "\(word) is not in \(run.errors)")
            }
        }
    }

    @Test("Files without a record are distinguished in the message")
    func unreadableFiles() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("empty", Data())
        try scratch.write("truncated", Data(TestEvidence.attestationLine("x").utf8.prefix(200)))
        try scratch.write("binary", Data([0xA3, 0x00, 0xFF]))
        try FileManager.default.createDirectory(
            at: scratch.folder.appendingPathComponent("folder"), withIntermediateDirectories: true)
        // A sparse file takes no space on the disk.
        let huge = try scratch.shell("truncate -s 40M huge")
        #expect(huge.status == 0)
        let table: [(file: String, sentence: String)] = [
            ("missing", "No such file or directory"),
            ("folder", "Is a directory"),
            ("empty", "is empty"),
            ("truncated", "byte 200"),
            ("binary", "byte 0"),
            ("huge", "has more than the \(InputLimits.record) bytes that are allowed"),
            ("-", "standard input is empty"),
            ("/dev/zero", "has more than the"),
        ]
        for entry in table {
            let run = try scratch.assay("verify", "--policy", "policy.yaml", "--as-captured", entry.file)
            #expect(run.status == 2, "\(entry.file)")
            #expect(run.errors.contains(entry.sentence), "\(entry.file): \(run.errors)")
        }
    }

    @Test("An unreadable policy is named by file, line and field")
    func badPolicy() throws {
        let scratch = try Scratch()
        let path = try scratch.policy(extra: "surplus: 1")
        try scratch.write("good.json", Data(TestEvidence.attestationLine("good").utf8))
        let run = try scratch.assay("verify", "--policy", path, "good.json")
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("\(path):10: surplus: unknown field"), "\(run.errors)")
    }

    @Test("An unmet expectation is shown and does not change the status")
    func expectation() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let line = try TestEvidence.attestationLine(
            "wrong", expect: .init(outcome: .reject, failed: ["app-attest.attestation.nonce"]))
        let run = try scratch.assay("verify", "--policy", "policy.yaml", "--as-captured", "-", input: line)
        #expect(run.status == 0)
        #expect(run.output.contains("the record expects reject, failed: app-attest.attestation.nonce"))
    }

    @Test("A record for another app than --app is an error that names both; the others are judged")
    func otherApp() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let minted = try TestEvidence.attestation()
        let lines = try [
            TestEvidence.line(minted.record(id: "astray", app: "shoe")),
            TestEvidence.line(minted.record(id: "same", app: "shop")),
        ]
        let arguments = ["verify", "--policy", "policy.yaml", "--as-captured", "--json", "records"]
        try scratch.write("records", Data(lines.joined(separator: "\n").utf8))
        let run = try scratch.run(arguments + ["--app", "shop"])
        #expect(run.status == 2)
        #expect(try run.json().map { $0["id"] as? String } == ["same"])
        #expect(run.errors.contains("record astray: it names app shoe, --app names shop"), "\(run.errors)")
    }

    @Test("After ten unreadable records of a file the others are only counted, for each file")
    func manyBroken() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let broken = String(repeating: "{\n", count: 150)
        let good = try TestEvidence.attestationLine("good")
        try scratch.write("a", Data("\(good)\n\(broken)".utf8))
        try scratch.write("b", Data("\(good)\n\(broken)".utf8))
        let run = try scratch.assay("verify", "--policy", "policy.yaml", "--as-captured", "a", "b")
        #expect(run.status == 2)
        for file in ["a", "b"] {
            let told = run.errors.split(separator: "\n").filter { $0.hasPrefix("error: \(file): ") }
            #expect(told.count == 11)
            #expect(told.last == "error: \(file): 140 more records that could not be judged")
        }
        #expect(run.lines.last == "302 records: 1 accepted, 1 rejected, 300 that could not be judged")
    }

    @Test("--app names the app of records without one")
    func app() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let line = try TestEvidence.attestationLine("x")
        let known = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--as-captured", "--app", "shop", "-", input: line)
        #expect(known.status == 0)
        let unknown = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--as-captured", "--app", "shoe", "-", input: line)
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("no app shoe"))
    }

    @Test("Genuine evidence is accepted as captured", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
    func genuine() throws {
        let folder = try #require(SharedFiles.root).appendingPathComponent("vectors/app-attest").path
        let run = try Scratch().assay(
            "verify", "--policy", "\(folder)/policy.yaml", "--as-captured", "--json", "\(folder)/apple-guide-2026.json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try run.json().first?["testAuthority"] == nil)
    }
}
