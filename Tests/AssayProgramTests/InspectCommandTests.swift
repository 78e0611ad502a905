import AssayCore
import AssayTesting
import Foundation
import Testing

@Suite("assay inspect")
struct InspectCommandTests {
    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    @Test("A file and standard input are inspected: format, reason and tree are printed")
    func text() throws {
        let scratch = try Scratch()
        let attestation = try TestEvidence.attestation()
        try scratch.write("attestation.bin", attestation.attestation)
        let file = try scratch.assay("inspect", "attestation.bin")
        #expect(file.status == 0)
        #expect(file.output.contains("attestation.bin: App Attest attestation object"))
        #expect(file.output.contains("because it is a CBOR map whose fmt is apple-appattest"))
        #expect(file.output.contains("\"appattest\" and 7 zero bytes"))
        #expect(file.output.contains("field 2, App ID  \(TestEvidence.appID)"))
        #expect(file.output.contains("not known from this alone:"))
        #expect(!file.output.contains("!"))
        for arguments in [["inspect"], ["inspect", "-"]] {
            let run = try scratch.assay(
                arguments[0], arguments.count > 1 ? "-" : "--full", input: Self.base64(attestation.attestation))
            #expect(run.status == 0)
            #expect(run.output.contains("App Attest attestation object, \(attestation.attestation.count) bytes"))
        }
    }

    @Test("A broken blob is decoded as far as possible and marked; the status is 0")
    func broken() throws {
        let scratch = try Scratch()
        let assertion = try TestEvidence.assertion(counter: 5).assertion
        try scratch.write("cut.bin", assertion.dropLast(10))
        let run = try scratch.assay("inspect", "cut.bin")
        #expect(run.status == 0)
        #expect(run.output.contains("App Attest assertion"))
        #expect(run.output.contains("! strict decoding stops here: byte "))
        try scratch.write("garbage.bin", [0xFF, 0x00, 0x9C, 0xFE, 0x13, 0x88, 0x01])
        let garbage = try scratch.assay("inspect", "garbage.bin")
        #expect(garbage.status == 0)
        #expect(garbage.output.contains("unknown bytes, 7 bytes"))
    }

    @Test("--json is one object on one line with the whole tree")
    func json() throws {
        let scratch = try Scratch()
        let run = try scratch.assay("inspect", "--json", input: TestEvidence.assertionLine("x", counter: 5))
        #expect(run.lines.count == 1)
        let object = try #require(run.json().first)
        #expect(object["format"] as? String == "evidence record")
        #expect(object["certainty"] as? String == "certain")
        let nested = try #require((object["nested"] as? [[String: Any]])?.first)
        #expect(nested["format"] as? String == "App Attest assertion")
        let root = try #require((nested["annotations"] as? [[String: Any]])?.first)
        #expect(root["offset"] as? Int == 0)
        #expect(root["length"] as? Int == nested["length"] as? Int)
        #expect((root["children"] as? [[String: Any]])?.count == 2)
    }

    @Test("--hex shows every byte of a small blob once, with names beside them")
    func hex() throws {
        let scratch = try Scratch()
        let assertion = try TestEvidence.assertion(counter: 5).assertion
        try scratch.write("assertion.bin", assertion)
        let run = try scratch.assay("inspect", "--hex", "assertion.bin")
        let rows = run.lines.filter { $0.utf8.count > 60 && $0.prefix(8).allSatisfy(\.isHexDigit) }
        let digits = rows.flatMap { row in
            row.dropFirst(10).prefix(50).split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
        #expect(digits == assertion)
        #expect(rows.contains { $0.hasSuffix("counter  5") })
        #expect(rows.contains { $0.hasSuffix("flags  0x40") })
    }

    @Test("--hex shows no secret, nor bytes that could be a key")
    func hexSecrets() throws {
        let scratch = try Scratch()
        let count = 100_000
        let cookies = String(repeating: "a=5ecret;", count: count)
        try scratch.write("many.http", Data("GET / HTTP/1.1\r\nHost: here\r\nCookie: \(cookies)\r\n\r\n".utf8))
        let run = try scratch.assay("inspect", "--hex", "--full", "many.http")
        #expect(run.status == 0)
        #expect(run.output.contains("Host  here"))
        #expect(!run.output.contains("35 65 63 72 65 74"))
        #expect(run.lines.count { $0.contains("not shown: they are a secret") } == count)
        try scratch.write("key.bin", Data((0..<32).map { $0 * 7 + 1 }))
        let key = try scratch.assay("inspect", "--hex", "key.bin")
        #expect(key.output.contains("32 bytes, not shown"))
        #expect(!key.output.contains("01 08 0f"))
    }

    @Test("Long output is truncated with a note; --full and --json are complete")
    func bounded() throws {
        let scratch = try Scratch()
        let long = String(repeating: "word ", count: 4000)
        try scratch.write(
            "long.json",
            Data("{\"a\": \"\(long)\", \"b\": [\(Array(repeating: "1", count: 3000).joined(separator: ","))]}".utf8))
        let run = try scratch.assay("inspect", "long.json")
        #expect(run.output.utf8.count < 8000)
        #expect(run.output.contains("... 2950 more (--full prints them)"))
        #expect(run.output.contains("(20002 characters)"))
        for option in ["--full", "--json"] {
            #expect(try scratch.assay("inspect", option, "long.json").output.utf8.count > 20_000)
        }
    }

    @Test("With --policy records are judged with a new ledger, and the exit status is that of the verdict")
    func policy() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("records.ndjson", Data("\(TestEvidence.attestationLine("x"))\n".utf8))
        let accepted = try scratch.assay("inspect", "--policy", "policy.yaml", "--as-captured", "records.ndjson")
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(accepted.output.contains("ACCEPTED  x"))
        let line = try TestEvidence.attestationLine("x", challenge: [1, 2])
        try scratch.write("other.yaml", Data(contentsOf: scratch.folder.appendingPathComponent("policy.yaml")))
        try scratch.policy(appID: "1234567890.com.example.other")
        let rejected = try scratch.assay(
            "inspect", "--policy", "policy.yaml", "--as-captured", "--json", "-", input: line)
        #expect(rejected.status == 1)
        let verdicts = try #require(try rejected.json().first?["verdicts"] as? [[String: Any]])
        #expect(verdicts.first?["failed"] as? [String] == ["app-attest.attestation.app-id"])
    }

    @Test("A single attestation is judged by its own identifiers; for a single assertion, missing options are listed")
    func blobs() throws {
        let scratch = try Scratch()
        try scratch.policy()
        try scratch.write("attestation.bin", try TestEvidence.attestation().attestation)
        let judged = try scratch.assay("inspect", "--policy", "policy.yaml", "attestation.bin")
        #expect(judged.status == 0, "\(judged.output)")
        #expect(judged.errors.contains("shows nothing about which request it answers"))
        try scratch.write("assertion.bin", try TestEvidence.assertion(counter: 5).assertion)
        let missing = try scratch.assay("inspect", "--policy", "policy.yaml", "assertion.bin")
        #expect(missing.status == 2)
        #expect(missing.errors.contains("`assay verify --kind app-attest.assertion --policy POLICY assertion.bin`"))
        #expect(missing.errors.contains("--key-id"))
        let nothing = try scratch.assay("inspect", "--policy", "policy.yaml", "policy.yaml")
        #expect(nothing.status == 2)
        #expect(nothing.errors.contains("nothing here is evidence that a policy applies to"))
    }

    @Test("Unreadable input is an error: no file, no bytes, too many; options that need a policy")
    func errors() throws {
        let scratch = try Scratch()
        try scratch.write("empty", [UInt8]())
        let table: [(arguments: [String], status: Int32, message: String)] = [
            (["inspect", "missing"], 2, "missing cannot be read"), (["inspect", "empty"], 2, "empty is empty"),
            (["inspect", "/dev/zero"], 2, "has more than the 33554432 bytes that are allowed"),
            (["inspect", "--json", "--hex", "empty"], 64, "exclude each other"),
            (["inspect", "--app", "x", "empty"], 64, "--app needs --policy"),
        ]
        for entry in table {
            let run = try scratch.shell("\"$ASSAY\" \(entry.arguments.joined(separator: " "))")
            #expect(run.status == entry.status)
            #expect(run.errors.contains(entry.message), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("Neither text nor dump nor JSON shows a private key, and control characters never reach the terminal")
    func secrets() throws {
        let scratch = try Scratch()
        let pem = TestKey(.p256, seed: "inspect command", label: "private").pem
        try scratch.write("key.pem", Data(pem.utf8))
        let encoded = Self.base64(Array(pem.utf8))
        try scratch.write("key.b64", Data(encoded.utf8))
        let secret = try #require(pem.split(separator: "\n").dropFirst().first).suffix(24)
        for file in ["key.pem", "key.b64"] {
            for option in ["--full", "--hex", "--json"] {
                let run = try scratch.assay("inspect", option, file)
                #expect(run.status == 0)
                #expect(!run.output.contains(secret), "\(option) \(file)")
                #expect(!run.output.contains(encoded.dropFirst(80).prefix(16)), "\(option) \(file)")
            }
        }
        let evil = try scratch.assay("inspect", input: "{\"a\": \"\\u001b[2J\\u202e\", \"\\u001b]0;x\\u0007\": 1}")
        #expect(!evil.output.contains("\u{1B}"))
        #expect(!evil.output.contains("\u{202E}"))
    }

    @Test("For blobs truncated at any length, --json is valid JSON, and text and dump do not fail")
    func cut() throws {
        let scratch = try Scratch()
        let attestation = try TestEvidence.attestation().attestation
        for length in stride(from: 1, to: attestation.count, by: attestation.count / 12) {
            try scratch.write("cut.bin", attestation.prefix(length))
            let run = try scratch.assay("inspect", "--json", "cut.bin")
            #expect(try run.json().first?["length"] as? Int == length)
            for option in ["--hex", "--full"] {
                let run = try scratch.assay("inspect", option, "cut.bin")
                #expect(run.status == 0 && run.errors.isEmpty && !run.output.isEmpty, "\(option) \(length)")
            }
        }
    }
}
