import Foundation
import Testing

@Suite("assay mint app-attest")
struct MintAppAttestTests {
    private static let appID = "1234567890.com.example.shop"
    private static let policy = """
        version: 1
        apps:
          - name: shop
            appAttest:
              appIDs: [\(appID)]
              environments: [production]
              challenge: ledger
              clientData: raw
              requests: { nonce: ledger, freshness: { past: 1d } }
              testRoots: ["file:root.pem"]
        checks:
          app-attest.assertion.client-data: off

        """

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("policy.yaml", Data(Self.policy.utf8))
        let made = try scratch.run(["mint", "app-attest", "device", "device.json", "--root", "root.pem"])
        #expect(made.status == 0 && made.errors.contains("key ID "), "\(made.errors)")
        return scratch
    }

    private func mint(_ scratch: Scratch, _ arguments: String...) throws -> Run {
        try scratch.run(
            ["mint", "app-attest"] + arguments + ["--device", "device.json", "--app-id", Self.appID, "--app", "shop"])
    }

    private func challenge(_ scratch: Scratch, _ kind: String) throws -> String {
        let issued = try scratch.run([
            "challenge", "issue", "--app", "shop", "--for", "app-attest.\(kind)", "--ledger", "sqlite:l.sqlite",
            "--ttl", "1h",
        ])
        return issued.output.trimmingCharacters(in: .newlines)
    }

    private func judge(_ scratch: Scratch, _ record: String) throws -> (status: Int32, failed: [String]) {
        try scratch.write("record.json", Data(record.utf8))
        let run = try scratch.run([
            "verify", "--policy", "policy.yaml", "--ledger", "sqlite:l.sqlite", "--json", "record.json",
        ])
        let verdict = try run.json().first
        return (run.status, verdict?["failed"] as? [String] ?? ["\(run.errors)"])
    }

    @Test("A test device registers, asserts and signs requests, each once and with a challenge of the ledger")
    func device() throws {
        let scratch = try scratch()
        let attestation = try mint(scratch, "attestation", "--challenge", try challenge(scratch, "attestation"))
        #expect(attestation.status == 0, "\(attestation.errors)")
        #expect(try judge(scratch, attestation.output) == (0, []))

        let assertion = try mint(
            scratch, "assertion", "--counter", "1", "--client-data", try challenge(scratch, "assertion"))
        #expect(try judge(scratch, assertion.output) == (0, []))

        let nonce = try challenge(scratch, "request")
        let request = try mint(
            scratch, "request", "--counter", "2", "--method", "POST", "--target-uri",
            "https://api.example.com/v1/items?a=1", "--body", #"{"a":1}"#, "--nonce", nonce)
        #expect(request.status == 0, "\(request.errors)")
        #expect(try judge(scratch, request.output) == (0, []))
        let again = try judge(scratch, request.output)
        #expect(again.status == 1)
        #expect(again.failed == ["app-attest.assertion.challenge", "app-attest.assertion.counter"])
    }

    @Test("The fields of a request are printed for curl, byte for byte as signed")
    func headers() throws {
        let scratch = try scratch()
        let run = try mint(
            scratch, "request", "--counter", "1", "--target-uri", "https://api.example.com/", "--headers")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("Signature-Input: assay=(\"@method\" \"@target-uri\");created=") == true)
        #expect(lines.last?.hasPrefix("Signature: assay=:") == true)
    }

    @Test("A nonce and client data may begin with a hyphen, as base64url does once in 64 times")
    func hyphen() throws {
        let scratch = try scratch()
        let request = try mint(
            scratch, "request", "--counter", "1", "--target-uri", "https://api.example.com/", "--nonce", "-x_")
        #expect(request.status == 0 && request.output.contains(#"nonce=\"-x_\""#), "\(request)")
        let assertion = try mint(scratch, "assertion", "--counter", "2", "--client-data", "-x_")
        #expect(assertion.status == 0, "\(assertion)")
    }

    @Test("An empty challenge, as of a variable that is not set, is refused")
    func emptyChallenge() throws {
        let scratch = try scratch()
        #expect(try scratch.run(["mint", "android-key", "device", "phone.json", "--root", "roots.pem"]).status == 0)
        for (kind, options) in [
            ("app-attest", ["--device", "device.json", "--app-id", "x"]),
            ("android-key", ["--device", "phone.json", "--package", "x"]),
        ] {
            let run = try scratch.run(["mint", kind, "attestation", "--challenge", ""] + options)
            #expect(run.status == 64 && run.output.isEmpty, "\(run)")
            #expect(run.errors.contains("--challenge is empty: give the text that the server issued"), "\(run)")
        }
    }

    @Test("A device file is private and never overwritten, and other files are refused")
    func files() throws {
        let scratch = try scratch()
        let path = scratch.folder.appendingPathComponent("device.json").path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try scratch.run(["mint", "app-attest", "device", "device.json", "--root", "other.pem"])
        #expect(again.status == 64 && again.errors.contains("device.json exists already"))
        #expect(!scratch.exists("other.pem"))
        let wrong = try scratch.run([
            "mint", "app-attest", "attestation", "--device", "root.pem", "--app-id", "x", "--challenge", "y",
        ])
        #expect(wrong.status == 2 && wrong.errors.contains("root.pem is no file of a test device"))
    }
}
