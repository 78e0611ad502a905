import Foundation
import Testing

@Suite("assay mint play-integrity")
struct MintPlayIntegrityTests {
    private static let digest = String(repeating: "6a", count: 32)

    private static func policy(_ responses: String) -> String {
        """
        version: 1
        keys:
          - { name: test, use: play-integrity, decryptionKey: "file:d.b64", verificationKey: "file:v.b64" }
        apps:
          - name: shop
            playIntegrity:
              packageName: com.example.shop
              certificateDigests: ["\(digest)"]
              keys: [test]
              challenge: ledger
              answers: caller
        \(responses)
        """
    }

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("policy.yaml", Data(Self.policy("      testResponses: allow\n").utf8))
        try scratch.write("strict.yaml", Data(Self.policy("").utf8))
        let made = try scratch.run([
            "mint", "play-integrity", "device", "device.json", "--decryption-key", "d.b64", "--verification-key",
            "v.b64", "--package", "com.example.shop", "--certificate-digest", Self.digest,
        ])
        #expect(made.status == 0 && made.output.isEmpty, "\(made)")
        return scratch
    }

    private func challenge(_ scratch: Scratch) throws -> String {
        let issued = try scratch.run([
            "challenge", "issue", "--app", "shop", "--for", "play-integrity.classic", "--ledger", "sqlite:l.sqlite",
        ])
        return issued.output.trimmingCharacters(in: .newlines)
    }

    private func mint(_ scratch: Scratch, _ arguments: [String]) throws -> Run {
        try scratch.run(["mint", "play-integrity"] + arguments + ["--device", "device.json"])
    }

    private func judge(_ scratch: Scratch, _ record: Run, policy: String = "policy.yaml") throws -> [String: Any] {
        #expect(record.status == 0, "\(record.errors)")
        try scratch.write("record.json", Data(record.output.utf8))
        let run = try scratch.run([
            "verify", "--policy", policy, "--ledger", "sqlite:l.sqlite", "--create-ledger", "--json", "record.json",
        ])
        return try #require(try run.json().first, "\(run.errors)")
    }

    @Test("A classic token is accepted once, under the keys of the device and by a policy that allows test responses")
    func classic() throws {
        let scratch = try scratch()
        let record = try mint(scratch, ["classic", "--nonce", try challenge(scratch)])
        // The keys alone do not suffice.
        let refused = try judge(scratch, record, policy: "strict.yaml")
        #expect(refused["failed"] as? [String] == ["play-integrity.testing-response"], "\(refused)")
        let verdict = try judge(scratch, record)
        #expect(verdict["outcome"] as? String == "accept", "\(verdict)")
        #expect(verdict["testAuthority"] as? String == "the test responses of the Play Console")
        #expect(try judge(scratch, record)["failed"] as? [String] == ["play-integrity.challenge"])
        let other = try mint(scratch, ["classic", "--nonce", try challenge(scratch), "--package", "com.example.other"])
        #expect(try judge(scratch, other)["outcome"] as? String != "accept")
    }

    @Test("A standard answer is accepted once, by a policy that allows test responses")
    func standard() throws {
        let scratch = try scratch()
        let record = try mint(scratch, ["standard", "--request-hash", "aGVsbG8"])
        let refused = try judge(scratch, record, policy: "strict.yaml")
        #expect(refused["failed"] as? [String] == ["play-integrity.testing-response"], "\(refused)")
        let verdict = try judge(scratch, record)
        #expect(verdict["outcome"] as? String == "accept" && verdict["testAuthority"] != nil, "\(verdict)")
        #expect(try judge(scratch, record)["failed"] as? [String] == ["play-integrity.challenge"])
    }

    @Test("Labels of the device replace those of a genuine one", arguments: ["MEETS_BASIC_INTEGRITY", "none"])
    func labels(label: String) throws {
        let scratch = try scratch()
        let record = try mint(scratch, ["standard", "--request-hash", "aGVsbG8", "--device-label", label])
        #expect(try judge(scratch, record)["failed"] as? [String] == ["play-integrity.device-recognition"])
    }

    @Test("Keys and device are private, and no file is overwritten")
    func files() throws {
        let scratch = try scratch()
        for name in ["device.json", "d.b64", "v.b64"] {
            let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        let again = try scratch.run([
            "mint", "play-integrity", "device", "other.json", "--decryption-key", "other.b64", "--verification-key",
            "v.b64",
        ])
        #expect(again.status == 64 && again.errors.contains("v.b64 exists already"), "\(again)")
        #expect(!scratch.exists("other.json") && !scratch.exists("other.b64"))
    }

    @Test("A nonce that no app can pass is refused")
    func nonces() throws {
        let scratch = try scratch()
        for nonce in ["a b", "YQ==", "+/+/"] {
            let run = try mint(scratch, ["classic", "--nonce", nonce])
            #expect(run.status == 64 && run.errors.contains("--nonce: expected base64url"), "\(run)")
        }
    }
}
