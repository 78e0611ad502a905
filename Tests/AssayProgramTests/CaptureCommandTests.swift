import Assay
import AssayTestSupport
import Foundation
import Testing

@Suite("Captures on the command line")
struct CaptureCommandTests {
    private static let key = ["--key", "file:keys/capture-private.key"]
    private static let to = ["--to", "file:keys/capture-public.key"]

    /// A folder with a key pair, and an attestation and an assertion in `c`.
    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        #expect(try scratch.run(["capture", "key", "--output", "keys"]).status == 0)
        try FileManager.default.createDirectory(atPath: scratch.path("c"), withIntermediateDirectories: false)
        let lines = try [TestEvidence.attestationLine("first"), TestEvidence.assertionLine("second", counter: 1)]
        try scratch.write("c/records.ndjson", Data(lines.joined(separator: "\n").utf8))
        return scratch
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A key pair is created with private permissions and never overwrites a file")
    func keys() throws {
        let scratch = try scratch()
        #expect(try mode(scratch.path("keys/capture-private.key")) == 0o600)
        let privateKey = try Data(contentsOf: scratch.folder.appendingPathComponent("keys/capture-private.key"))
        let run = try scratch.run(["capture", "key", "--output", "keys"])
        #expect(run.status == 74 && run.errors.contains("it exists already"), "\(run.errors)")
        #expect(try Data(contentsOf: scratch.folder.appendingPathComponent("keys/capture-private.key")) == privateKey)
        #expect(try scratch.run(["capture", "key", "--private", "a", "--public", "b"]).status == 0)
        // The private key of an incomplete pair is removed.
        let half = try scratch.run(["capture", "key", "--private", "new", "--public", "b"])
        #expect(half.status == 74 && !scratch.exists("new"))
        for arguments in [
            [], ["--private", "x"], ["--output", "x", "--private", "y", "--public", "z"], ["--output", ""],
        ] {
            #expect(try scratch.run(["capture", "key"] + arguments).status == 64, "\(arguments)")
        }
        for file in ["a", "new", "keys/capture-private.key"] where scratch.exists(file) {
            let text = String(
                decoding: try Data(contentsOf: scratch.folder.appendingPathComponent(file)), as: UTF8.self)
            #expect(!run.errors.contains(text.dropLast()) && !half.errors.contains(text.dropLast()))
        }
    }

    @Test(
        "A public key that others can write is refused: who replaces it reads what is sealed",
        arguments: [0o666, 0o664])
    func writable(mode: Int) throws {
        let scratch = try scratch()
        let path = scratch.path("keys/capture-public.key")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let refused = try scratch.run(["capture", "seal", "c"] + Self.to)
        #expect(refused.status == 2 && refused.output.isEmpty && refused.errors.contains("o-w"), "\(refused)")
    }

    @Test("Sealed records open to the same records and verdicts")
    func sealing() throws {
        let scratch = try scratch()
        let clear = try scratch.run(["capture", "open", "c"] + Self.key)
        #expect(clear.status == 0 && clear.lines.count == 2, "\(clear.errors)")
        let sealed = try scratch.run(["capture", "seal", "c"] + Self.to)
        #expect(sealed.status == 0 && sealed.lines.count == 2 && !sealed.output.contains(TestEvidence.keyID))
        #expect(
            sealed.lines.last?.hasSuffix(#","sealedRecords":2}"#) == true && !sealed.lines[0].contains("sealedRecords"))
        try scratch.write("sealed.ndjson", Data(sealed.output.utf8))
        let opened = try scratch.run(["capture", "open", "sealed.ndjson"] + Self.key)
        #expect(opened.output == clear.output)
        try scratch.policy()
        try scratch.write("opened.ndjson", Data(opened.output.utf8))
        #expect(try scratch.run(["verify", "--as-captured", "--policy", "policy.yaml", "opened.ndjson"]).status == 0)
        let verify = ["verify", "--as-captured", "--policy", "policy.yaml", "sealed.ndjson"]
        let opening = try scratch.run(verify + ["--capture-key"] + Self.key.suffix(1))
        #expect(opening.status == 0 && opening.output.contains("2 records: 2 accepted"), "\(opening.errors)")
        let without = try scratch.run(verify)
        #expect(without.status == 2 && without.errors.contains("a sealed record is opened with --capture-key"))
        // With another key nothing opens. Sealed records are not sealed again and not silently dropped.
        #expect(try scratch.run(["capture", "key", "--output", "other"]).status == 0)
        let other = try scratch.run(["capture", "open", "sealed.ndjson", "--key", "file:other/capture-private.key"])
        #expect(other.status == 2 && other.output.isEmpty)
        let closed = try scratch.run(verify + ["--capture-key", "file:other/capture-private.key"])
        #expect(closed.status == 2 && !closed.output.contains("ACCEPTED"))
        #expect(
            closed.errors.contains("sealed.ndjson: line 2, the record is sealed for another key"), "\(closed.errors)")
        #expect(other.errors.contains("sealed.ndjson:1: the record is sealed for another key"), "\(other.errors)")
        for command in [["seal"] + Self.to, ["redact"]] {
            let again = try scratch.run(["capture"] + command + ["sealed.ndjson"])
            #expect(again.status == 2 && again.output.isEmpty && again.errors.contains("the record is sealed"))
        }
    }

    @Test("A sealed file that was cut says so, wherever it was cut")
    func cut() throws {
        let scratch = try scratch()
        try scratch.policy()
        let whole = try scratch.run(["capture", "seal", "c"] + Self.to).lines.map(String.init)
        let notes = "the sealed records have no end"
        /// The lines of a file, the exit status of opening it, and words of standard error.
        let cases: [(lines: [String], status: Int32, opened: Int, words: String?)] = [
            (whole, 0, 2, nil), (Array(whole[..<1]), 0, 1, notes), ([whole[0], #"{"sealedRecords":1}"#], 0, 1, nil),
            ([whole[0], String(whole[1].dropLast(20))], 2, 1, notes),
            ([whole[1]], 2, 1, "has 1 sealed records up to this line, which counts 2"),
            ([whole[0], #"{"sealedRecords":2}"#], 2, 1, "has 1 sealed records up to this line, which counts 2"),
            ([whole[0], whole[1].replacing("sealedRecords\":2", with: "sealedRecords\":3")], 2, 1, "which counts 3"),
            (whole + whole, 0, 4, nil), (whole + Array(whole[..<1]), 0, 3, notes),
        ]
        for (lines, status, opened, words) in cases {
            try scratch.write("cut.ndjson", Data((lines.joined(separator: "\n") + "\n").utf8))
            let open = try scratch.run(["capture", "open", "cut.ndjson"] + Self.key)
            let verify = try scratch.run(
                ["verify", "--as-captured", "--policy", "policy.yaml", "cut.ndjson", "--capture-key"]
                    + Self.key.suffix(1))
            #expect(open.status == status && open.lines.count == opened, "\(open)")
            for errors in [open.errors, verify.errors] {
                if let words {
                    #expect(errors.contains(words), "\(errors)")
                } else {
                    #expect(!errors.contains("sealed records"))
                }
            }
        }
        let replay = try scratch.run(
            ["replay", "--policy", "policy.yaml", "cut.ndjson", "--capture-key"] + Self.key.suffix(1))
        #expect(replay.errors.contains(notes), "\(replay)")
    }

    @Test("Control characters are escaped in the output, and the record is unchanged")
    func controls() throws {
        let scratch = try scratch()
        let id = "a\u{9B}31m\u{2028}\u{202E}\u{7F}\u{E0001}\u{E9}"
        try scratch.write("evil.ndjson", Data(try TestEvidence.attestationLine(id).utf8))
        let run = try scratch.run(["capture", "redact", "evil.ndjson"])
        #expect(run.status == 0 && run.lines.count == 1)
        for character in ["\u{9B}", "\u{2028}", "\u{202E}", "\u{7F}"] { #expect(!run.output.contains(character)) }
        #expect(run.output.contains("\u{E9}"))
        #expect(try run.json().first?["id"] as? String == id)
    }

    @Test("Redacted records contain no request and can be judged")
    func redaction() throws {
        let scratch = try scratch()
        try scratch.policy()
        let run = try scratch.run(["capture", "redact", "c/records.ndjson"])
        #expect(run.status == 0 && run.lines.count == 2)
        #expect(run.output.contains("clientDataHash") && !run.output.contains("\"clientData\":"))
        try scratch.write("redacted.ndjson", Data(run.output.utf8))
        #expect(try scratch.run(["verify", "--as-captured", "--policy", "policy.yaml", "redacted.ndjson"]).status == 0)
        let help = try scratch.run(["capture", "redact", "--help"]).output
        for field in Verifier.sensitiveFields { #expect(help.contains(field.name) && help.contains(field.kind.name)) }
    }

    @Test("Redaction sums up, and what cannot be judged without removed fields is reported as redacted")
    func redactionSum() throws {
        let scratch = try scratch()
        try scratch.policy()
        let token =
            #"{"kind":"play-integrity.standard","receivedAt":"2026-04-21T18:13:12Z","evidence":{"packageName":"p","requestHash":"hash","token":"t"}}"#
        try scratch.write("c/token.ndjson", Data("\(token)\n".utf8))
        let run = try scratch.run(["capture", "redact", "c"])
        #expect(run.status == 0 && run.lines.count == 3)
        #expect(
            run.errors.contains(
                "3 records: 2 fields removed or replaced; a replay can judge 2, and reports 1 as redacted"),
            "\(run.errors)")
        try scratch.write("redacted.ndjson", Data(run.output.utf8))
        let replay = try scratch.run(["replay", "--policy", "policy.yaml", "--json", "redacted.ndjson"])
        #expect(replay.output.contains("redacted"), "\(replay.output) \(replay.errors)")
        let verify = try scratch.run(["verify", "--as-captured", "--policy", "policy.yaml", "redacted.ndjson"])
        #expect(verify.status == 2, "\(verify.output)")
        #expect(verify.errors.contains("cannot be judged without evidence.token"), "\(verify.errors)")
    }

    @Test("Unreadable records are reported with their position, and the others are printed")
    func unreadable() throws {
        let scratch = try scratch()
        try scratch.write("c/broken.ndjson", Data("{}\n\(TestEvidence.assertionLine("x", counter: 2))\nno\n".utf8))
        let run = try scratch.run(["capture", "open", "c", "none"] + Self.key)
        #expect(run.status == 2 && run.lines.count == 3)
        for part in ["c/broken.ndjson:1: ", "c/broken.ndjson:3: byte 0", "none: it cannot be opened"] {
            #expect(run.errors.contains("error: \(part)"), "\(run.errors)")
        }
        let many = try scratch.shell(#"yes '{}' | head -150 | "$ASSAY" capture redact -"#)
        #expect(many.status == 2 && many.errors.split(separator: "\n").count == 11)
        #expect(many.errors.contains("standard input:10: ") && many.errors.contains("140 more records cannot be read"))
    }

    @Test("A private key with exposed permissions and an invalid key are refused and not shown")
    func wrongKeys() throws {
        let scratch = try scratch()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: scratch.path("keys/capture-private.key"))
        let exposed = try scratch.run(["capture", "open", "c"] + Self.key)
        #expect(exposed.status == 2 && exposed.errors.contains("others may read"), "\(exposed.errors)")
        let mixedUp = try scratch.run(["capture", "open", "c", "--key", "file:keys/capture-public.key"])
        #expect(
            mixedUp.status == 2 && mixedUp.errors.contains("public") && !mixedUp.errors.contains("chmod"),
            "\(mixedUp.errors)")
        try scratch.write("text", Data("no secret of mine".utf8))
        let wrong = try scratch.run(["capture", "seal", "c", "--to", "file:text"])
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("expected assay-capture-public: and 32 bytes"), "\(wrong.errors)")
        #expect(!wrong.errors.contains("of mine"))
        #expect(try scratch.run(["capture", "open", "c", "--key", "c2VjcmV0"]).status == 64)
        #expect(try scratch.run(["capture", "redact", "-", "-"]).status == 64)
    }

    /// The memory limit for an endless stream or line. The program itself takes most of it.
    private static let memory = 600_000

    @Test(
        "Memory stays flat for long lines and streams",
        .enabled(if: Sanitizer.isOff, Comment(rawValue: Sanitizer.hint)),
        arguments: [
            (#"head -c 1073741824 /dev/zero | tr '\0' x; echo; echo '{"kind":"k","evidence":{}}'"#, 1, 0),
            (#"head -c 536870912 /dev/zero | tr '\0' ' ' | gzip -1; echo '{"kind":"k","evidence":{}}' | gzip"#, 1, 0),
            (#"(head -c 16000000 /dev/zero | tr '\0' '\n'; echo '{"kind":"k","evidence":{}}') | gzip -1"#, 0, 1),
            (#"(head -c 536870912 /dev/zero | tr '\0' '\n'; echo '{"kind":"k","evidence":{}}') | gzip -1"#, 1, 0),
            (#"(head -c 536870912 /dev/zero | tr '\0' x; echo; echo '{"kind":"k","evidence":{}}') | zstd -q"#, 1, 0),
            (#"yes '{"kind":"k","evidence":{}}' | head -500000"#, 0, 500_000),
        ])
    func memory(input: String, failures: Int, records: Int) throws {
        let scratch = try scratch()
        // The limit applies to addresses, of which a process takes more than of memory.
        let command =
            #"(\#(input)) | (ulimit -v \#(Self.memory); "$ASSAY" capture open --key file:keys/capture-private.key -) >lines"#
        let run = try scratch.shell("\(command); status=$?; wc -l <lines; exit $status")
        #expect(run.status == (failures == 0 ? 0 : 2), "\(run.errors.prefix(1000))")
        #expect(run.errors.split(separator: "\n").count == failures, "\(run.errors.prefix(1000))")
        #expect(run.output.trimmingCharacters(in: .whitespacesAndNewlines) == "\(records)")
    }

    @Test("Standard input is read like a file; a closed pipe ends the command without an error")
    func streams() throws {
        let scratch = try scratch()
        let lines = #"(cat c/records.ndjson; echo) | "$ASSAY" capture redact -"#
        let piped = try scratch.shell(lines)
        #expect(piped.status == 0 && piped.lines.count == 2, "\(piped.errors)")
        let part = try scratch.shell(#"(read -r first; "$ASSAY" capture redact -) <c/records.ndjson"#)
        #expect(part.status == 0 && part.lines.count == 1, "what somebody else has read is not read again")
        let gone = try scratch.shell(#"yes "$(head -1 c/records.ndjson)" | "$ASSAY" capture redact - | head -1"#)
        #expect(gone.status == 0 && gone.lines.count == 1 && gone.errors.isEmpty, "\(gone.errors)")
    }
}
