import AssayTestSupport
import Foundation
import Testing

@Suite("Interrupted replays and their output")
struct ReplayEndingTests {
    /// A corpus of three accepted records and a rejected one.
    private static func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.policy()
        let lines = [
            try TestEvidence.attestationLine("attested"), try TestEvidence.assertionLine("first", counter: 1),
            try TestEvidence.assertionLine("second", counter: 2), try TestEvidence.assertionLine("again", counter: 2),
        ]
        try scratch.write("corpus.ndjson", Data((lines.joined(separator: "\n") + "\n").utf8))
        return scratch
    }

    private static func text(_ name: String, in scratch: Scratch) throws -> String {
        try String(contentsOf: scratch.folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test("After a signal the report has the records judged so far, and says so", arguments: ["INT", "TERM"])
    func interrupted(signal: String) throws {
        let scratch = try Self.scratch()
        // -m enables job control; without it, bash ignores SIGINT in background processes.
        let run = try scratch.shell(
            """
            set -m
            mkfifo in
            # The shell holds the pipe open for writing: its end is not the reason why the replay ends.
            exec 3<>in
            "$ASSAY" replay - --policy policy.yaml --json --report r.html <in >out 2>err 3<&- & replay=$!
            cat corpus.ndjson >&3
            until [ "$(wc -l <out)" -ge 4 ]; do sleep 0.05; done
            kill -\(signal) $replay
            wait $replay
            echo "status $?"
            """)
        let errors = try Self.text("err", in: scratch)
        #expect(run.output.contains("status 130"), "\(run.output) \(run.errors) \(errors)")
        #expect(errors == "error: interrupted before the end of the corpus\n")
        let report = try Self.text("r.html", in: scratch)
        #expect(report.contains("<strong>Incomplete:</strong> interrupted before the end of the corpus."))
        #expect(report.contains("4 records: 3 accepted, 1 rejected, 0 not judged"))
    }

    @Test("A signal that the parent process ignores stays ignored")
    func ignored() throws {
        let scratch = try Self.scratch()
        let run = try scratch.shell(
            """
            mkfifo in
            (trap '' INT; exec "$ASSAY" replay - --policy policy.yaml --json <in >out 2>err) & replay=$!
            exec 3>in
            cat corpus.ndjson >&3
            until [ "$(wc -l <out)" -ge 4 ]; do sleep 0.05; done
            kill -INT $replay
            exec 3>&-
            wait $replay
            echo "status $?"
            """)
        let errors = try Self.text("err", in: scratch)
        #expect(run.output == "status 0\n", "\(run.errors) \(errors)")
    }

    @Test("A report that cannot be written is an error before anything is judged")
    func reportFirst() throws {
        let scratch = try Self.scratch()
        let run = try scratch.assay("replay", "corpus.ndjson", "--json", "--report", "missing/r.html")
        #expect(run.status == 74)
        #expect(run.output == "")
        #expect(run.errors == "error: missing/r.html cannot be written: No such file or directory\n")
        try scratch.write("old.html", Data("old".utf8))
        let judged = try scratch.assay("replay", "corpus.ndjson", "--against", "none.yaml", "--report", "old.html")
        #expect(judged.status == 2)
        #expect(try Self.text("old.html", in: scratch) == "old", "without a replay the old report stays")
    }

    @Test("If standard output cannot be written, the report has the records judged so far, and says so")
    func fullOutput() throws {
        let scratch = try Self.scratch()
        let run = try scratch.shell(#""$ASSAY" replay corpus.ndjson --json --report r.html >/dev/full"#)
        #expect(run.status == 74)
        #expect(run.errors == "error: standard output cannot be written: No space left on device\n")
        let report = try Self.text("r.html", in: scratch)
        #expect(
            report.contains(
                "<strong>Incomplete:</strong> standard output cannot be written: No space left on device."))
    }

    @Test("--csv prints the tables, with cells that spreadsheets do not evaluate")
    func csv() throws {
        let scratch = try Self.scratch()
        let run = try scratch.assay("replay", "corpus.ndjson", "--csv")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.lines.prefix(4) == [
                "table,value,records,accepted,rejected,not judged,no longer accepted,newly accepted",
                "all,,4,3,1,0,0,0",
                "first failed check,app-attest.assertion.counter,1,,,,,",
                "failed check,app-attest.assertion.counter,1,,,,,",
            ])
        #expect(run.lines.contains("kind,app-attest.assertion,3,2,1,0,0,0"))
        let changed = try scratch.assay("replay", "corpus.ndjson", "--csv", "--json")
        #expect(changed.status == 64)
        try scratch.policy("other.yaml", appID: "1234567890.com.example.other")
        let compared = try scratch.assay("replay", "corpus.ndjson", "--csv", "--against", "other.yaml")
        #expect(
            compared.output.contains(
                "decisions under both policies,accepted then rejected (app-attest.assertion.app-id),2,,,,,\n"))
        #expect(compared.lines.contains("all,,4,3,1,0,3,0"))
        #expect(compared.lines.contains("no longer accepted by cause,app-attest.assertion.app-id,2,,,,,"))
        #expect(compared.lines.contains("devices no longer accepted by cause,app-attest.assertion.app-id,1,,,,,"))
        let names = try scratch.write(
            "formula.ndjson", Data(#"{"id":"x","kind":"=1+1,\"a\"","receivedAt":"2026-01-01T00:00:00Z"}"#.utf8))
        let formula = try scratch.assay("replay", names, "--policy", "policy.yaml", "--csv")
        #expect(!formula.output.contains("\n="))
        // A combining mark changes the character, and spreadsheets accept a full-width sign.
        for sign in ["=\u{301}", "+\u{FE0F}", "\u{FF1D}", "\u{FF20}"] {
            let line = #"{"id":"x","kind":"\#(sign)1+1","receivedAt":"2026-01-01T00:00:00Z"}"#
            let marked = try scratch.write("marked.ndjson", Data(line.utf8))
            let run = try scratch.assay("replay", marked, "--policy", "policy.yaml", "--csv")
            #expect(!run.output.contains("\n\(sign)") && !run.output.contains(",\(sign)"), "\(run.output)")
        }
    }

    @Test("On a terminal text is wrapped and progress fits the line; without a terminal neither happens")
    func widths() throws {
        let scratch = try Self.scratch()
        let piped = try scratch.shell(#""$ASSAY" replay corpus.ndjson"#)
        let detail = "for example again: counter 2 is not greater than the stored 2"
        #expect(piped.output.contains(detail))
        #expect(piped.errors == "")
        let terminal = try scratch.shell(
            #"TERM=xterm script -qec 'stty cols 42; "$ASSAY" replay corpus.ndjson' /dev/null </dev/null"#)
        #expect(terminal.status == 0, "\(terminal.output)")
        #expect(!terminal.output.contains(detail))
        let drawn = terminal.output.matches(of: /\r([^\r\n\u{1B}]+)\u{1B}\[K/).map { String($0.1) }
        #expect(drawn.contains { $0.hasPrefix("4 records") }, "\(terminal.output.debugDescription)")
        #expect(drawn.allSatisfy { $0.count < 42 })
    }
}
