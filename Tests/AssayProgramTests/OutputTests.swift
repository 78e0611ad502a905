import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

@Suite("Output")
struct OutputTests {
    @Test("A rejection ends with its reason and a hint for more information")
    func rejection() throws {
        let scratch = try Scratch()
        try scratch.policy(appID: "1234567890.com.example.other")
        let line = try TestEvidence.attestationLine("x")
        let run = try scratch.assay("verify", "--policy", "policy.yaml", "--as-captured", "-", input: line)
        #expect(run.status == 1)
        let last = run.lines.suffix(2).map(String.init)
        #expect(last.first?.hasPrefix("  rejected because: app-attest.attestation.app-id: ") == true, "\(last)")
        #expect(last.last == "  hint: see `assay explain app-attest.attestation.app-id`")
        #expect(run.output.contains("REJECTED  x  app-attest.attestation  app shop"))
        // The row of a failed check has its code, which `assay explain` accepts.
        let row = try #require(run.output.firstMatch(of: /failed +app-attest\.attestation\.app-id  (\S+)\n/))
        #expect(try scratch.assay("explain", String(row.output.1)).status == 0, "\(row.output.1)")
    }

    @Test("One line per verdict, only rejections, or no verdicts, each with the same exit status")
    func shorter() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let input = "\(try TestEvidence.attestationLine("x"))\n\(try TestEvidence.attestationLine("y"))\n"
        func run(_ options: String...) throws -> Run {
            try scratch.run(["verify", "--policy", "policy.yaml", "--as-captured", "-"] + options, input: input)
        }
        let short = try run("--oneline")
        #expect(short.status == 1)
        #expect(
            short.lines.map(String.init) == [
                "ACCEPTED  x  app-attest.attestation  app shop",
                "REJECTED  y  app-attest.attestation  app shop  app-attest.attestation.enrolment: key-enrolled",
                "2 records: 1 accepted, 1 rejected, 0 that could not be judged",
            ])
        let rejected = try run("--oneline", "--rejected")
        #expect(
            rejected.status == 1 && rejected.lines.map(String.init) == Array(short.lines.map(String.init).dropFirst()))
        let objects = try run("--json", "--rejected")
        #expect(objects.status == 1 && objects.lines.count == 1 && objects.output.contains(#""id":"y""#))
        #expect(objects.output.contains(#""remedy":"new-attestation""#))
        let quiet = try run("--quiet")
        #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.isEmpty)
        for pair in [["--json", "--oneline"], ["--quiet", "--rejected"], ["--quiet", "--json"]] {
            let run = try scratch.run(["verify", "--policy", "policy.yaml", "-"] + pair, input: input)
            #expect(run.status == 64 && run.errors.contains("exclude each other"), "\(run.errors)")
        }
    }

    @Test("Checks skipped because of one gate share a line, and the causes of rejections are counted at the end")
    func causes() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let input = ["x", "y", "z"].map { try? TestEvidence.attestationLine($0) }.compactMap(\.self).joined(
            separator: "\n")
        let late = try scratch.run(
            ["verify", "--policy", "policy.yaml", "--at", "2060-01-01T00:00:00Z", "-"], input: input)
        #expect(late.status == 1)
        #expect(
            late.output.contains("- skipped   14 checks  (because: app-attest.attestation.chain)"), "\(late.output)")
        #expect(
            late.lines.suffix(2) == [
                "3 records: 0 accepted, 3 rejected, 0 that could not be judged",
                "  3  app-attest.attestation.chain: expired",
            ])
        let some = try scratch.run(
            ["verify", "--policy", "policy.yaml", "--as-captured", "--oneline", "-"], input: input)
        #expect(
            some.lines.suffix(2) == [
                "3 records: 1 accepted, 2 rejected, 0 that could not be judged",
                "  2  app-attest.attestation.enrolment: key-enrolled",
            ])
    }

    @Test("For evidence that was fresh at its receipt, the hint is --as-captured")
    func asCaptured() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let line = try TestEvidence.attestationLine("x")
        let late = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--at", "2036-01-01T00:00:00Z", "-", input: line)
        #expect(late.status == 1)
        let text = late.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("--as-captured judges it as of then"), "\(late.output)")
    }

    @Test("Several records are counted at the end")
    func summary() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let line = try TestEvidence.attestationLine("x")
        let run = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--as-captured", "-", input: "\(line)\n\(line)\n{}\n")
        #expect(run.lines.last == "3 records: 1 accepted, 1 rejected, 1 that could not be judged")
    }

    @Test("No colour without a terminal, on a dumb one, or with NO_COLOR; only ASCII without UTF-8")
    func colour() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("x.json", Data(TestEvidence.attestationLine("x").utf8))
        let verify = "\"$ASSAY\" verify --policy policy.yaml --as-captured x.json"
        #expect(try !scratch.shell(verify).output.contains("\u{1B}"))
        // `script` runs the program on a terminal.
        let onTerminal = "script -qec '\(verify)' /dev/null"
        let table: [(environment: [String: String], isColoured: Bool)] = [
            (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": ""], true),
            (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false),
        ]
        if try scratch.shell("command -v script").status == 0 {
            for entry in table {
                let run = try scratch.shell(onTerminal, environment: entry.environment)
                #expect(run.output.contains("ACCEPTED"), "\(run.errors)")
                #expect(run.output.contains("\u{1B}[32m") == entry.isColoured, "\(entry.environment)")
            }
        }
        #expect(try scratch.shell(verify).output.contains("✓"))
        let ascii = try scratch.shell(verify, environment: ["LC_ALL": "C"])
        #expect(ascii.output.utf8.allSatisfy { $0 < 0x80 })
        #expect(ascii.output.contains("+ passed"))
    }

    @Test("Control characters of evidence and file names never reach the terminal")
    func controlCharacters() throws {
        let scratch = try Scratch()
        try scratch.policy()
        let hostile = "\u{1B}[2J\u{9B}31m\u{202E}\u{7}\u{200B}"
        let minted = try TestEvidence.attestation()
        let good = try TestEvidence.line(minted.record(id: hostile))
        let wrong = try TestEvidence.line(minted.record(id: "x", app: hostile))
        let input = "\(good)\n\(wrong)\n{\"id\": \"\\u001b[2J\", \"kind\": \"\\u001b[2J\", \"evidence\": {}}\n"
        for format in [[], ["--json"]] {
            try scratch.write("input", Data(input.utf8))
            let run = try scratch.run(["verify", "--policy", "policy.yaml", "--as-captured", "input"] + format)
            #expect(run.status == 2)
            for text in [run.output, run.errors] {
                let found = text.unicodeScalars.filter { scalar in
                    scalar != "\n" && scalar.properties.generalCategory == .control
                }
                #expect(found.isEmpty, "\(format) \(found)")
            }
            #expect(!run.errors.unicodeScalars.contains("\u{202E}"))
            if format.isEmpty { #expect(!run.output.unicodeScalars.contains("\u{202E}")) }
        }
        let name = try scratch.assay("verify", "--policy", "policy.yaml", "a\u{1B}[2Jb")
        #expect(name.errors.contains(#"a\u{1b}[2Jb"#))
    }
}

@Suite("assay explain")
struct ExplainTests {
    @Test("Every check of the list is explained, as text and as JSON")
    func everyCheck() throws {
        let scratch = try Scratch()
        let all = try scratch.assay("explain", "--json").json()
        #expect(all.count >= 30)
        let list = try scratch.assay("explain").output
        for object in all {
            let name = try #require(object["check"] as? String)
            #expect(list.contains("  \(name)  "))
            let run = try scratch.assay("explain", name)
            #expect(run.status == 0)
            for field in ["proves", "stops", "lookAt", "source"] {
                #expect((object[field] as? String)?.isEmpty == false, "\(name) has no \(field)")
            }
            for title in ["proves", "stops", "look at", "source", "codes"] {
                #expect(run.lines.contains(Substring(title)))
            }
            let codes = try #require(object["codes"] as? [[String: String]])
            #expect(!codes.isEmpty, "\(name) has no code")
            for code in codes {
                #expect(run.lines.contains("  \(code["code"] ?? "")"))
                #expect(run.lines.contains("      remedy: \(code["remedy"] ?? "missing")"))
            }
            #expect(try scratch.assay("explain", name, "--json").json().count == 1)
        }
    }

    @Test("Every code of every check is explained, with each check that reports it")
    func everyCode() throws {
        let scratch = try Scratch()
        var checks: [String: [String]] = [:]
        for definition in Verifier.catalogue {
            for code in definition.codes { checks[code.name, default: []].append(definition.id.name) }
        }
        #expect(checks.count > 150)
        for (code, names) in checks {
            let uses = try scratch.assay("explain", code, "--json").json()
            #expect(uses.compactMap { $0["check"] as? String } == names, "\(code)")
            for use in uses {
                #expect(use["code"] as? String == code)
                for field in ["meaning", "lookAt"] { #expect((use[field] as? String)?.isEmpty == false, "\(code)") }
            }
        }
        let text = try scratch.assay("explain", "challenge-missing")
        #expect(text.status == 0)
        #expect(text.lines.filter { $0 == "means" }.count == 2)
        for check in ["app-attest.attestation.challenge", "app-attest.assertion.client-data"] {
            #expect(text.lines.contains("  \(check)"))
        }
    }

    @Test("Every code of an outage is explained, with the parts that use it, as text and as JSON")
    func outages() throws {
        let scratch = try Scratch()
        for explanation in OutageExplanation.all {
            let code = explanation.code.name
            let text = try scratch.assay("explain", code)
            #expect(text.status == 0, "\(code)")
            for part in explanation.parts { #expect(text.output.contains(part), "\(code)") }
            let objects = try scratch.assay("explain", code, "--json").json()
            #expect(objects.count == 1 && objects[0]["outage"] as? String == code, "\(code)")
            #expect(objects.first?["meaning"] as? String == explanation.meaning, "\(code)")
        }
    }

    @Test("Every remedy of a verdict is explained, with the codes that have it")
    func remedies() throws {
        let scratch = try Scratch()
        for remedy in Remedy.allCases {
            let text = try scratch.assay("explain", remedy.rawValue)
            #expect(text.status == 0 && text.output.contains("\(remedy.rawValue)  a remedy: "), "\(text)")
            let objects = try scratch.assay("explain", remedy.rawValue, "--json").json()
            #expect(objects.count == 1 && objects.first?["remedy"] as? String == remedy.rawValue)
            #expect((objects.first?["meaning"] as? String)?.isEmpty == false)
            let codes = try #require(objects.first?["codes"] as? [String])
            #expect(!codes.isEmpty && codes.allSatisfy { text.output.contains($0) })
        }
        #expect(try scratch.assay("explain", "new-atestation").errors.contains("new-attestation"))
    }

    @Test("A prefix lists its checks; an unknown name is answered with the nearest names")
    func others() throws {
        let scratch = try Scratch()
        let receipts = try scratch.assay("explain", "app-attest.receipt", "--json")
        #expect(receipts.status == 0)
        #expect(try receipts.json().count == 8)
        let table = [
            ("app-attest.attestation.nonse", "app-attest.attestation.nonce"), ("nonce", "app-attest.attestation.nonce"),
            ("key-stat", "app-attest.assertion.key-state"), ("xyzzy", "lists all checks"),
            ("chalenge-expired", "challenge-expired"), ("key-not-alive", "key-not-live"),
        ]
        for (typed, named) in table {
            let run = try scratch.assay("explain", typed)
            #expect(run.status == 64)
            #expect(run.errors.contains(named), "\(typed): \(run.errors)")
        }
    }
}
