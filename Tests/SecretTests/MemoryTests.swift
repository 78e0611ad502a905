import Assay
import AssayTestSupport
import Foundation
import Testing

#if os(Linux)
    /// What is in the memory of a process while it uses secrets, and when it does not any more.
    @Suite(
        "Secrets in memory", .timeLimit(.minutes(20)), .enabled(if: Sanitizer.isOff, Comment(rawValue: Sanitizer.hint)))
    struct MemoryTests {
        private let account: SecretAccount
        private let process: SecretProcess

        init() throws {
            account = try SecretAccount()
            process = try SecretProcess(errors: account.folder.path("errors"))
        }

        private func file(_ name: String) -> String { account.folder.path(name) }

        private func counts(_ secrets: [SecretForms]) throws -> [String: Int] {
            try MemoryScan.counts(of: secrets, in: process.identifier)
        }

        /// What is left of secrets that nothing uses any more: a task that has ended may hold them until its thread has
        /// released it.
        private func left(of secrets: [SecretForms]) throws -> [String: Int] {
            var left = try counts(secrets)
            for _ in 0..<100 where !left.isEmpty {
                usleep(100_000)
                left = try counts(secrets)
            }
            return left
        }

        private func close() throws {
            #expect(try process.ask("close") == "ok")
        }

        @Test("The search finds what is there: the characters of a token in the text of a file that was read")
        func search() throws {
            let (lines, credentials) = try account.records()
            try account.folder.write("records", lines.joined(separator: "\n"))
            #expect(try process.ask("policy", file("policy.yaml")) == "ok")
            _ = try process.ask("verify", file("records"))
            #expect(try !counts(credentials).isEmpty)
        }

        @Test("Keys of a policy are in memory in one form, and not at all after its release")
        func policy() throws {
            #expect(try counts(account.ofPolicy).isEmpty)
            #expect(try process.ask("policy", file("policy.yaml")) == "ok")
            var counts = try counts(account.ofPolicy)
            // The secret itself, and at most two contexts of OpenSSL that hold it: whether a version keeps it is its own.
            for name in [
                "the account's secret", "the key of encrypted tokens", "the message key", "the decryption key",
            ] {
                let copies = counts.removeValue(forKey: "\(name), bytes") ?? 0
                #expect((1...3).contains(copies), "\(name): \(copies)")
            }
            #expect(counts.isEmpty, "\(counts)")
            try close()
            #expect(try left(of: account.ofPolicy).isEmpty)
        }

        @Test("Judging good and bad evidence leaves no copy of a key behind")
        func judging() throws {
            let (lines, _) = try account.records()
            try account.folder.write("records", lines.joined(separator: "\n"))
            #expect(try process.ask("policy", file("policy.yaml")) == "ok")
            let live = try counts(account.ofPolicy)
            let told = try process.ask("verify", file("records"))
            for name in ["good-signed", "good-encrypted", "good-proof", "good-message", "good-classic"] {
                #expect(told.contains(#""id":"\#(name)","#), "\(told.prefix(300))")
            }
            #expect(told.components(separatedBy: #""outcome":"accept""#).count == 6, "\(told.prefix(3000))")
            #expect(told.components(separatedBy: #""outcome":"reject""#).count == 8)
            #expect(try counts(account.ofPolicy) == live)
            try close()
            #expect(try left(of: account.ofPolicy).isEmpty)
        }

        @Test("The key of measurement proofs in an encrypted token is wiped after the verdict")
        func proofKey() throws {
            let (lines, _) = try account.records()
            try account.folder.write("records", lines.joined(separator: "\n"))
            #expect(try process.ask("policy", file("policy.yaml")) == "ok")
            _ = try process.ask("verify", file("records"))
            #expect(try left(of: [account.proofKey]).isEmpty)
        }

        @Test("Keys of a key store and its master key are wiped when it is closed, and sealing leaves nothing")
        func store() throws {
            let secrets = account.ofPolicy + [account.master]
            #expect(try process.ask("store", file("ledger.sqlite"), file("master")) == "ok")
            let seals = [
                "approov-1 approov secret=\(file("secret"))",
                "message-1 approov-message secret=\(file("message")) keyID=@account-key",
                "play-1 play-integrity decryptionKey=\(file("decryption")) verificationKey=\(file("verification"))",
            ]
            for seal in seals { #expect(try process.ask("seal \(seal)") == "ok") }
            #expect(try left(of: account.ofPolicy).isEmpty)
            let copies = try counts([account.master])
            #expect((1...3).contains(copies["the master key, bytes"] ?? 0) && copies.count == 1, "\(copies)")
            let (lines, _) = try account.records()
            try account.folder.write("records", lines.joined(separator: "\n"))
            #expect(try process.ask("policy", file("apps.yaml")) == "ok")
            let told = try process.ask("verify", file("records"))
            #expect(told.components(separatedBy: #""outcome":"accept""#).count == 6, "\(told.prefix(3000))")
            #expect((1...3).contains(try counts(secrets)["the account's secret, bytes"] ?? 0))
            try close()
            #expect(try left(of: secrets).isEmpty)
            #expect(try account.files(with: secrets) == ["decryption", "master", "message", "secret"])
        }

        @Test("The private key of a service account is wiped with its client")
        func serviceAccount() throws {
            let told = try process.ask("account", file("account.json"))
            #expect(told.hasPrefix("outage"), "\(told)")
            let left = try left(of: [account.serviceKey, account.serviceKeyText])
            #expect(left.isEmpty, "\(left)")
        }

        @Test("The private key of captures and the opened data are wiped after use")
        func capture() throws {
            let (line, key) = try account.sealedRecord()
            let text = key.text.testText
            try account.folder.write("capture-private", text)
            try account.folder.write("sealed", line)
            let bytes = Array(Data(base64Encoded: String(text.split(separator: ":")[1])) ?? Data())
            #expect(bytes.count == 32)
            #expect(try process.ask("policy", file("policy.yaml")) == "ok")
            let told = try process.ask("capture", file("capture-private"), file("sealed"))
            #expect(told.contains("accept"), "\(told.prefix(3000))")
            #expect(try left(of: [SecretForms("the private key", bytes: bytes), account.proofKey]).isEmpty)
        }
    }
#endif
