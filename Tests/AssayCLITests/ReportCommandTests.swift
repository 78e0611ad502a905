import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// `assay report`, as it is called.
@Suite("assay report")
struct ReportCommandTests {
    /// Two parts of a corpus with their summaries, `one.json` and `two.json`, and the summary and report of the whole.
    private func replay(_ scratch: Scratch) throws {
        try scratch.policy()
        let lines = [
            try TestEvidence.attestationLine("attested"), try TestEvidence.assertionLine("first", counter: 1),
            "no record", try TestEvidence.assertionLine("second", counter: 2),
        ]
        try scratch.write("corpus.ndjson", Data(lines.joined(separator: "\n").utf8))
        let whole = try scratch.assay(
            "replay", "corpus.ndjson", "--policy", "policy.yaml", "--summary", "whole.json", "--report", "whole.html")
        #expect(whole.status == 2, "\(whole.errors)")
        // All of one key are in one part, as those who divide a corpus see to.
        for (name, part) in [("one", [0, 1, 3]), ("two", [2])] {
            let input = part.map { "\($0 + 1)\t\(lines[$0])" }.joined(separator: "\n")
            let run = try scratch.assay(
                "replay", "-", "--policy", "policy.yaml", "--numbered", "--name", "corpus.ndjson", "--json",
                "--summary",
                "-", input: input)
            let summary = try #require(run.lines.last)
            #expect(summary.hasPrefix("summary\t"))
            try scratch.write("\(name).json", Data("\(summary)\n".utf8))
        }
    }

    private func text(_ name: String, of scratch: Scratch) throws -> String {
        try String(contentsOfFile: scratch.path(name), encoding: .utf8)
    }

    @Test("Summaries of the parts, in any order and from files or standard input, are the report of the whole")
    func merges() throws {
        let scratch = try Scratch()
        try replay(scratch)
        let labels = ["--policy", "policy.yaml"]
        let run = try scratch.assay(
            "report", "two.json", "one.json", "--output", "r.html", "--summary", "m.json", labels[0], labels[1])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "4 records: 3 accepted, 0 rejected, 1 not judged\n")
        #expect(try text("m.json", of: scratch) == text("whole.json", of: scratch))
        #expect(try text("r.html", of: scratch) == text("whole.html", of: scratch))
        let input = try text("one.json", of: scratch) + "\n" + text("two.json", of: scratch)
        let piped = try scratch.assay("report", "-", "--output", "p.html", labels[0], labels[1], input: input)
        #expect(piped.status == 0, "\(piped.errors)")
        #expect(try text("p.html", of: scratch) == text("whole.html", of: scratch))
    }

    @Test("What is no summary is named by file, line and byte")
    func unreadable() throws {
        let scratch = try Scratch()
        try scratch.write("bad.json", Data("\n{\"assaySummary\":1}\n".utf8))
        let bad = try scratch.assay("report", "bad.json", "--output", "r.html")
        #expect(bad.status == 2)
        #expect(bad.errors == "error: bad.json, line 2, byte 1: outcomes is missing\n")
        let none = try scratch.assay("report", "none.json", "--output", "r.html")
        #expect(none.status == 2)
        #expect(none.errors.contains("none.json cannot be read: No such file or directory"))
        #expect(!scratch.exists("r.html"))
    }

    @Test("Arguments that leave nothing to write, or read standard input twice, are told")
    func arguments() throws {
        let scratch = try Scratch()
        #expect(try scratch.assay("report", "a.json").status == 64)
        #expect(try scratch.assay("report", "-", "-", "--output", "r.html").status == 64)
        #expect(try scratch.assay("report", "a.json", "--output", "-").status == 64)
    }

    @Test(
        "When the disk is full the older report stays as it was, and no part of the new one does",
        .enabled(if: Sanitizer.isOff, Comment(rawValue: Sanitizer.filesHint)))
    func fullDisk() throws {
        let scratch = try Scratch()
        try replay(scratch)
        try scratch.write("r.html", Data("older".utf8))
        let before = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).sorted()
        // Files of at most 4 KiB stand in for a disk that fills while the page is written.
        let run = try scratch.shell("ulimit -f 4; \"$ASSAY\" report one.json --output r.html >/dev/null")
        #expect(run.status == 74)
        #expect(run.errors == "error: r.html cannot be written: File too large\n")
        #expect(try text("r.html", of: scratch) == "older")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).sorted() == before)
        let full = try scratch.assay("report", "one.json", "--output", "/dev/full")
        #expect(full.status == 74)
        #expect(full.errors == "error: /dev/full cannot be written: No space left on device\n")
    }
}
