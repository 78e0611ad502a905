import Foundation
import Testing

@Suite("assay mint")
struct MintTests {
    private let mint = ["mint", "app-attest", "--output", "out", "--at", "2026-05-01T00:00:00Z"]

    @Test("Minted attestations are accepted under the policy beside them, with a line on the test authority")
    func tree() throws {
        let scratch = try Scratch()
        let run = try scratch.run(mint)
        #expect(run.status == 0, "\(run.errors)")
        for name in ["test-root.pem", "policy.yaml", "attestation-accept.json", "ledger/policy.yaml"] {
            #expect(scratch.exists("out/\(name)"), "\(name)")
        }
        let verify = ["verify", "--policy", "out/policy.yaml", "--as-captured", "out/attestation-accept.json"]
        let judged = try scratch.run(verify)
        #expect(judged.status == 0, "\(judged.errors)")
        #expect(judged.output.contains("rests on a test authority"))
        #expect(judged.output.contains("judged at 2026-05-01T00:00:00Z"))
    }

    @Test("A folder that is not empty is left alone without --force")
    func refusal() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path("out"), withIntermediateDirectories: true)
        try scratch.write("out/policy.yaml", Data("mine".utf8))
        #expect(try scratch.run(mint).status == 64)
        #expect(try Data(contentsOf: scratch.folder.appendingPathComponent("out/policy.yaml")) == Data("mine".utf8))
        #expect(try scratch.run(mint + ["--force"]).status == 0)
        try scratch.write("file", Data("x".utf8))
        #expect(try scratch.assay("mint", "app-attest", "--output", "file").status == 64)
    }

    @Test("The same seed gives the same keys, and no seed other ones")
    func seeds() throws {
        /// The public key of the root, as openssl prints it.
        func rootKey(_ arguments: [String]) throws -> String {
            let scratch = try Scratch()
            #expect(try scratch.run(mint + arguments).status == 0)
            let run = try scratch.shell("openssl x509 -in out/test-root.pem -noout -pubkey")
            #expect(run.status == 0, "\(run.errors)")
            return run.output
        }
        let seeded = try rootKey(["--seed", "a"])
        #expect(try rootKey(["--seed", "a"]) == seeded)
        #expect(try rootKey(["--seed", "b"]) != seeded)
        #expect(try rootKey([]) != seeded)
    }

    private let mintTokens = ["mint", "play-integrity", "--output", "out", "--at", "2026-05-01T00:00:00Z"]

    /// The mode of a file, as far as others than its owner are concerned.
    private func modeForOthers(_ scratch: Scratch, _ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(path))
        return try #require(attributes[.posixPermissions] as? Int) & 0o077
    }

    @Test("Minted tokens are accepted under the policy beside them, with key files of mode 0600")
    func tokens() throws {
        let scratch = try Scratch()
        let run = try scratch.run(mintTokens)
        #expect(run.status == 0, "\(run.errors)")
        for name in ["current", "previous", "expired", "pending", "other-app"] {
            #expect(try modeForOthers(scratch, "out/keys/\(name)-decryption.b64") == 0)
        }
        for policy in ["", "strict/", "lenient/", "scope/", "ledger/", "pc/"] {
            #expect(scratch.exists("out/\(policy)policy.yaml"), "\(policy)")
        }
        for file in ["classic-accept.json", "standard-accept.json"] {
            let judged = try scratch.run(["verify", "--policy", "out/policy.yaml", "--as-captured", "out/\(file)"])
            #expect(judged.status == 0, "\(judged.errors)")
        }
        let refused = try scratch.run([
            "verify", "--policy", "out/policy.yaml", "--as-captured", "out/classic-app.json",
        ])
        #expect(refused.status == 1, "\(refused.errors)")
    }

    @Test("A key file that others could read is replaced by one that they cannot")
    func modes() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(mintTokens + ["--seed", "a"]).status == 0)
        let (path, kept) = ("out/keys/current-decryption.b64", "out/keys/previous-decryption.b64")
        let first = try Data(contentsOf: scratch.folder.appendingPathComponent(kept))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: scratch.path(path))
        #expect(try scratch.run(mintTokens + ["--seed", "a"]).status == 64)
        #expect(try modeForOthers(scratch, path) == 0o066)
        #expect(try scratch.run(mintTokens + ["--seed", "a", "--force"]).status == 0)
        #expect(try modeForOthers(scratch, path) == 0)
        #expect(try Data(contentsOf: scratch.folder.appendingPathComponent(kept)) == first)
        #expect(try scratch.run(mintTokens + ["--force"]).status == 0)
        #expect(try Data(contentsOf: scratch.folder.appendingPathComponent(kept)) != first)
    }
}
