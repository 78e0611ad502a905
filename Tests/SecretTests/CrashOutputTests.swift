import AssayTestSupport
import Foundation
import Testing

#if os(Linux)
    /// What a process says when it ends while secrets are in use.
    @Suite("Secrets in crash output", .timeLimit(.minutes(5)))
    struct CrashOutputTests {
        @Test("A backtrace that leaves registers out, as SECURITY.md has it, shows nothing of the secrets")
        func backtrace() throws {
            let account = try SecretAccount()
            let process = try SecretProcess(
                errors: account.folder.path("errors"),
                environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no,registers=none"])
            #expect(try process.ask("policy", account.folder.path("policy.yaml")) == "ok")
            #expect(try process.ask("trap", account.folder.path("secret")) == "about to trap")
            let (status, said) = try process.end()
            #expect(status != 0)
            #expect(String(decoding: said, as: UTF8.self).contains("Program crashed"))
            for secret in account.ofPolicy { #expect(secret.found(in: said).isEmpty) }
        }
    }
#endif
