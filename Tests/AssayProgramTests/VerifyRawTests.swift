import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify, raw blobs")
struct VerifyRawTests {
    static let common = ["--app-id", TestEvidence.appID, "--key-id", TestEvidence.keyID, "--test-root", "root.pem"]

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("root.pem", Data(TestEvidence.authority().rootPEM.utf8))
        return scratch
    }

    @Test("An attestation is read as bytes, base64 or base64url, also wrapped; the output names the encoding")
    func encodings() throws {
        let scratch = try scratch()
        let minted = try TestEvidence.attestation()
        let blob = Data(minted.attestation)
        let standard = blob.base64EncodedString()
        let url = standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let wrapped = blob.base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn])
        let table: [(contents: Data, name: String)] = [
            (blob, "raw bytes"), (Data(standard.utf8), "base64"), (Data("\(standard)\n".utf8), "base64"),
            (Data(wrapped.utf8), "base64"), (Data("\(url)\n".utf8), "base64url"),
        ]
        for entry in table {
            try scratch.write("blob", entry.contents)
            let run = try scratch.run(
                ["verify", "--kind", "app-attest.attestation", "--challenge", "challenge", "blob"] + Self.common)
            #expect(run.status == 0, "\(run.errors)\(run.output)")
            #expect(run.errors.contains("blob: read as \(entry.name), \(blob.count) bytes"), "\(run.errors)")
            #expect(run.errors.contains("environment production, as no --environment is given"))
            #expect(run.output.contains("rests on a test authority"))
        }
    }

    @Test("A nonce, hash or digest that begins with a hyphen is a value and not an option")
    func hyphens() throws {
        let scratch = try Scratch()
        let digest = "-" + String(repeating: "Pj4-", count: 10) + "Pg"
        let app = ["--package-name", "com.example.shop", "--certificate-digest", digest]
        try scratch.write("answer", Data(#"{"tokenPayloadExternal": {"requestDetails": {"requestHash": "-h"}}}"#.utf8))
        let standard = try scratch.run(
            ["verify", "--kind", "play-integrity.standard", "--request-hash", "-h", "--decoded", "--json", "answer"]
                + app)
        #expect(standard.status == 1, "\(standard.errors)")
        let failed = try standard.json().first?["failed"] as? [String] ?? []
        #expect(failed.contains("play-integrity.request-package") && !failed.contains("play-integrity.request-hash"))
        try scratch.write("token", Data("no.token".utf8))
        let keys = try scratch.writeKeys()
        let classic = try scratch.run(
            ["verify", "--kind", "play-integrity.classic", "--nonce", "-bcdefghijklmnop", "--json", "token"] + app
                + keys)
        #expect(classic.status == 1, "\(classic.errors)")
        #expect(try classic.json().first?["failed"] as? [String] == ["play-integrity.decode"])
    }

    @Test("Values are text, hex, base64 of either alphabet, or a file")
    func values() throws {
        let scratch = try scratch()
        try scratch.write("blob", TestEvidence.attestation().attestation)
        try scratch.write("challenge.txt", Data(TestEvidence.challenge))
        let hash = try Digests.sha256Hex(TestEvidence.challenge)
        let values = [
            ("--challenge", "challenge"), ("--challenge", "text:challenge"), ("--challenge", "file:challenge.txt"),
            ("--challenge", "base64:Y2hhbGxlbmdl"), ("--challenge", "hex:6368616c6c656e6765"),
            ("--client-data-hash", "hex:\(hash)"),
        ]
        for (option, value) in values {
            let run = try scratch.run(
                ["verify", "--kind", "app-attest.attestation", option, value, "blob"] + Self.common)
            #expect(run.status == 0, "\(option) \(value): \(run.errors)\(run.output)")
        }
    }

    @Test("An assertion needs key and counter, and the challenge if the client data contains one")
    func assertion() throws {
        let scratch = try scratch()
        let clientData = #"{"challenge":"challenge"}"#
        try scratch.write(
            "blob", TestEvidence.assertion(counter: 5, clientData: Array(clientData.utf8)).assertion)
        let point = Data(TestEvidence.key.publicPoint).base64EncodedString()
        let given = [
            "verify", "--kind", "app-attest.assertion", "--client-data", clientData, "--public-key", point, "blob",
            "--app-id", TestEvidence.appID, "--key-id", TestEvidence.keyID,
        ]
        let table: [(arguments: [String], status: Int32)] = [
            (["--counter", "4"], 0),
            (["--counter", "5"], 1),
            (["--counter", "4", "--challenge-at", "/challenge", "--challenge", "challenge"], 0),
            (["--counter", "4", "--challenge-at", "/challenge", "--challenge", "another"], 1),
            (["--counter", "4", "--challenge-at", "/nothing", "--challenge", "challenge"], 1),
            (["--counter", "4", "--challenge-at", "none"], 0),
            (["--counter", "4", "--challenge-at", "none", "--challenge", "challenge"], 64),
            (["--counter", "4", "--challenge-at", "raw"], 64),
            (["--counter", "4", "--challenge", "challenge"], 64),
            (["--counter", "4", "--challenge-at", "somewhere"], 64),
            ([], 64),
        ]
        for entry in table {
            let run = try scratch.run(given + entry.arguments)
            #expect(run.status == entry.status, "\(entry.arguments): \(run.errors)\(run.output)")
        }
    }

    @Test("A ledger supplies key and counter for each app, and a replay is rejected")
    func ledger() throws {
        let scratch = try scratch()
        try scratch.write("attestation", TestEvidence.attestation().attestation)
        try scratch.write("assertion", TestEvidence.assertion(counter: 1).assertion)
        let ledger = Self.common + ["--create-ledger", "--ledger", "sqlite:ledger.sqlite"]
        let attestation = ["verify", "--kind", "app-attest.attestation", "--challenge", "challenge", "attestation"]
        let assertion = ["verify", "--kind", "app-attest.assertion", "--client-data", "challenge", "assertion"]
        let table: [(arguments: [String], status: Int32)] = [
            (attestation + ledger + ["--app", "shop"], 0), (attestation + ledger + ["--app", "shop"], 1),
            (assertion + ledger + ["--app", "other"], 1), (assertion + ledger + ["--app", "shop"], 0),
            (assertion + ledger + ["--app", "shop"], 1),
            (assertion + ledger + ["--app", "shop", "--counter", "1", "--public-key", "AAAA"], 64),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == entry.status, "\(entry.arguments): \(run.errors)\(run.output)")
        }
    }

    @Test("A raw receipt is judged")
    func receipt() throws {
        let scratch = try scratch()
        try scratch.write("blob", #require(try TestEvidence.attestation(issuedAt: TestEvidence.now).receipt))
        let run = try scratch.run(["verify", "--kind", "app-attest.receipt", "blob"] + Self.common)
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        let late = try scratch.run(
            ["verify", "--kind", "app-attest.receipt", "--at", "2999-01-01T00:00:00Z", "blob"] + Self.common)
        #expect(late.status == 1)
        #expect(late.output.contains("rejected because: app-attest.receipt."))
    }

    @Test("Options of other kinds, missing options and contradictions are refused")
    func usage() throws {
        let scratch = try scratch()
        try scratch.policy()
        try scratch.write("blob", TestEvidence.attestation().attestation)
        let attestation = ["verify", "--kind", "app-attest.attestation", "blob"]
        let key = ["--key-id", TestEvidence.keyID]
        let challenge = ["--challenge", "challenge"]
        let table: [(arguments: [String], sentence: String)] = [
            (attestation + Self.common + challenge + ["--counter", "1"], "has no option --counter"),
            (attestation + Self.common, "needs --challenge or --client-data-hash"),
            (attestation + Self.common + challenge + ["--client-data-hash", "AAAA"], "and not both"),
            (attestation + challenge, "--key-id is required"),
            (attestation + key + challenge, "--app-id is required"),
            (attestation + Self.common + challenge + ["--policy", "policy.yaml"], "exclude each other"),
            (attestation + Self.common + challenge + ["--as-captured"], "--as-captured is for records"),
            (attestation + Self.common + challenge + ["other"], "takes one FILE"),
            (attestation + Self.common + challenge + ["--ledger", "sqlite:l"], "--app is required"),
            (attestation + Self.common + ["--challenge", "hex:0"], "hexadecimal"),
            (attestation + ["--app-id", TestEvidence.appID, "--key-id", "???"] + challenge, "base64"),
            (attestation + Self.common + challenge + ["--environment", "sandbox"], "production, development"),
            (attestation + ["--app-id", "nonsense"] + key + challenge, "--app-id: an App ID is"),
            (["verify", "--kind", "x", "blob"], "app-attest.attestation"),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == 64, "\(entry.arguments)")
            #expect(run.errors.contains(entry.sentence), "\(entry.sentence) is not in \(run.errors)")
        }
        let policy = try scratch.run(attestation + key + challenge + ["--policy", "policy.yaml"])
        #expect(policy.status == 0, "\(policy.errors)")
    }

    @Test("A damaged blob gives a verdict, an empty or oversized one an error")
    func damaged() throws {
        let scratch = try scratch()
        let attestation = try TestEvidence.attestation().attestation
        let table: [(contents: [UInt8], status: Int32)] = [
            ([], 2), (Array(attestation.dropLast()), 1), (attestation + [0], 1),
            ([UInt8](repeating: 0, count: 70_000), 1),
            ([UInt8](repeating: 0, count: 1_000_000), 2),
        ]
        for entry in table {
            try scratch.write("blob", entry.contents)
            let run = try scratch.run(
                ["verify", "--kind", "app-attest.attestation", "--challenge", "challenge", "blob"] + Self.common)
            #expect(run.status == entry.status, "\(entry.contents.count) bytes: \(run.errors)")
        }
    }

    @Test(
        "Apple's example is accepted in every encoding",
        .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
    func genuine() throws {
        let data = try SharedFiles.data("vectors/app-attest/apple-guide-2026.json")
        let records = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        let evidence = try #require(records.first?["evidence"] as? [String: String])
        let text = try #require(evidence["attestation"])
        let blob = try #require(Data(base64Encoded: text))
        let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let scratch = try Scratch()
        for contents in [blob, Data(text.utf8), Data(url.utf8)] {
            try scratch.write("blob", contents)
            let run = try scratch.run([
                "verify", "--kind", "app-attest.attestation", "--app-id", "1234567890.com.example.myapp", "--key-id",
                try #require(evidence["keyId"]), "--client-data-hash", "text:example_server_challenge", "--at",
                "2026-04-21T18:13:13Z", "blob",
            ])
            #expect(run.errors.contains("5906 bytes"))
            #expect(run.status == 0, "\(run.output)")
        }
    }
}
