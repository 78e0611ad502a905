import AssayTestSupport
import Foundation
import Testing

@Suite("Verifying with keys from the key store", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct VerifyKeyStoreTests {
    private static let folder = "vectors/play-integrity"

    /// Writes the shared policy without its keys, a genuine record, the shared keys and two master keys.
    private func prepare(_ scratch: Scratch) throws {
        try scratch.writeKeys()
        for (name, file) in [("d", "play-decryption.b64"), ("v", "play-verification.b64")] {
            let text = String(decoding: try SharedFiles.data("\(Self.folder)/\(file)"), as: UTF8.self)
            try scratch.writeSecret(name, text)
        }
        let policy = String(decoding: try SharedFiles.data("\(Self.folder)/policy.yaml"), as: UTF8.self)
        let apps = try #require(policy.range(of: "apps:"))
        try scratch.write("policy.yaml", Data("version: 1\n\(policy[apps.lowerBound...])".utf8))
        try scratch.write("full.yaml", Data(policy.utf8))
        let records = try JSONSerialization.jsonObject(with: SharedFiles.data("\(Self.folder)/records.json"))
        let good = (records as? [[String: Any]])?.first { $0["id"] as? String == "good-full" }
        try scratch.write("good.json", JSONSerialization.data(withJSONObject: try #require(good)))
    }

    private func add(_ scratch: Scratch, _ name: String = "play-test", _ more: [String] = []) throws -> Run {
        try scratch.run(
            [
                "keys", "add", name, "--use", "play-integrity", "--decryption-key", "file:d", "--verification-key",
                "file:v",
            ]
                + KeysCommandTests.store + more)
    }

    private func verify(
        _ scratch: Scratch, _ more: [String], environment: [String: String] = [:]
    ) throws -> Run {
        try scratch.run(
            ["verify", "--as-captured", "--policy", "policy.yaml", "good.json"] + more, environment: environment)
    }

    @Test("A token opens with a key of the store, with the option or the variable, and the verdict names the key")
    func accepted() throws {
        let scratch = try Scratch()
        try prepare(scratch)
        #expect(try add(scratch).status == 0)
        let run = try verify(scratch, KeysCommandTests.store + ["--json"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("play-test"))
        let master = TestKeys.master.base64EncodedString()
        let variable = try verify(scratch, KeysCommandTests.ledger, environment: ["ASSAY_MASTER_KEY": master])
        #expect(variable.status == 0, "\(variable.output)\(variable.errors)")
        for form in TestKeys.forms(TestKeys.master) {
            #expect(!run.output.contains(form) && !run.errors.contains(form))
        }
    }

    @Test("Without a master key, the store is not used, with a note; a wrong master key is an outage")
    func masterKeys() throws {
        let scratch = try Scratch()
        try prepare(scratch)
        #expect(try add(scratch).status == 0)
        let without = try verify(scratch, KeysCommandTests.ledger)
        #expect(without.status == 2, "\(without.output)")
        #expect(without.errors.contains("key store in sqlite:ledger.sqlite are not used; give --master-key"))
        try scratch.writeSecret("other", TestKeys.decryption.base64EncodedString())
        let other = try verify(scratch, KeysCommandTests.ledger + ["--master-key", "file:other"])
        #expect(other.status == 3, "\(other.output)")
        #expect(other.errors.contains("key store outage (wrong-master-key)"), "\(other.errors)")
        let memory = try verify(scratch, ["--master-key", "file:m"])
        #expect(memory.status == 64 && memory.errors.contains("--master-key needs --ledger sqlite:PATH"))
    }

    @Test("A key that was retired before the token was received does not open it")
    func retired() throws {
        let scratch = try Scratch()
        try prepare(scratch)
        #expect(try add(scratch).status == 0)
        let retire = ["keys", "retire", "play-test", "--at", "2026-11-19T00:00:00Z"] + KeysCommandTests.store
        #expect(try scratch.run(retire).status == 0)
        let run = try verify(scratch, KeysCommandTests.store)
        #expect(run.status == 2, "\(run.output)\(run.errors)")
        #expect(run.errors.contains("retired at 2026-11-19T00:00:00Z"), "\(run.output)\(run.errors)")
    }

    @Test("A policy names its keys in files with mode 0600")
    func policyFile() throws {
        let scratch = try Scratch()
        try prepare(scratch)
        for (name, file) in [("d", "play-decryption.b64"), ("v", "play-verification.b64")] {
            #expect(try scratch.shell("cp -p \(name) \(file)").status == 0)
        }
        let command = ["verify", "--as-captured", "--policy", "full.yaml", "good.json"]
        #expect(try scratch.run(command).status == 0)
        #expect(try scratch.shell("chmod 644 play-decryption.b64").status == 0)
        let exposed = try scratch.run(command)
        #expect(exposed.status == 2)
        #expect(exposed.errors.contains("full.yaml:5: keys[0].decryptionKey: others may read"), "\(exposed.errors)")
        #expect(exposed.errors.contains("chmod 600 "))
    }
}
