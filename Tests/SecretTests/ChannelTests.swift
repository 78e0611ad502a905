import AssayTestSupport
import Foundation
import Testing

#if os(Linux)
    /// What the library says of good and bad evidence, in verdicts, their dumps, and errors.
    @Suite("Secrets in verdicts and errors", .timeLimit(.minutes(20)))
    struct ChannelTests {
        @Test("Verdicts of good and bad evidence, dumped, show no secret, no token and no session")
        func verdicts() throws {
            let account = try SecretAccount()
            let process = try SecretProcess(errors: account.folder.path("errors"))
            let (lines, credentials) = try account.records()
            try account.folder.write("records", lines.joined(separator: "\n"))
            try process.ask("policy", account.folder.path("policy.yaml"))
            let told = try process.ask("verify", account.folder.path("records"))
            #expect(told.contains("good-message") && told.contains("bad-classic"))
            let (status, said) = try process.end()
            #expect(status == 0)
            for secret in account.ofPolicy + [account.proofKey] + credentials {
                #expect(secret.found(in: said).isEmpty)
            }
        }

        /// Keys that may be others by their lengths, 32 and 64 bytes.
        private static let interchangeable = [
            "secret": ["message"], "message": ["decryption"], "decryption": ["message"],
            "master": ["message", "decryption"],
        ]

        @Test("Errors of keys that are in the wrong place, dumped, show nothing of them")
        func errors() throws {
            let account = try SecretAccount()
            let process = try SecretProcess(errors: account.folder.path("errors"))
            func file(_ name: String) -> String { account.folder.path(name) }
            // Each key where each other one belongs.
            let names = ["secret", "message", "decryption", "verification", "master", "account.json"]
            for name in names {
                for (other, line) in [
                    ("secret", "use: approov, secret"), ("verification", "use: approov, publicKey"),
                    ("none", "use: approov, keySet"), ("message", "use: approov-message, keyID: x, secret"),
                    ("decryption", "use: play-integrity, verificationKey: \"file:verification\", decryptionKey"),
                    ("verification", "use: play-integrity, decryptionKey: \"file:decryption\", verificationKey"),
                ] where other != name {
                    let policy =
                        "version: 1\nkeys: [{ name: k, \(line): \"file:\(name)\" }]\napps: [{ name: a, approov: {} }]\n"
                    try account.folder.write("wrong.yaml", policy)
                    let answer = try process.ask("policy", file("wrong.yaml"))
                    // Whether the text of a public key is bytes enough for a message key is for the tests of keys.
                    if (name, other) == ("verification", "message") { continue }
                    let isRead = Self.interchangeable[name, default: []].contains(other)
                    #expect(answer.hasPrefix("error") == !isRead, "\(name) as \(line): \(answer)")
                }
                if name != "master", name != "decryption", name != "message" {
                    #expect(try process.ask("store", file("ledger"), file(name)).hasPrefix("error"))
                }
                if name != "account.json" { #expect(try process.ask("account", file(name)).hasPrefix("error")) }
                #expect(try process.ask("capture", file(name), file(name)).hasPrefix("error"))
                // The secret itself where its source belongs, or a path.
                let text = try String(contentsOfFile: file(name), encoding: .utf8)
                let inline = text.replacing("\n", with: " ")
                try account.folder.write(
                    "inline.yaml",
                    "version: 1\nkeys: [{ name: k, use: approov, secret: '\(inline)' }]\napps: [{ name: a, approov: {} }]\n"
                )
                #expect(try process.ask("policy", file("inline.yaml")).hasPrefix("error"))
            }
            let (status, said) = try process.end()
            #expect(status == 0)
            for secret in account.ofPolicy + [account.master, account.serviceKey, account.serviceKeyText] {
                #expect(secret.found(in: said).isEmpty)
            }
        }
    }
#endif
