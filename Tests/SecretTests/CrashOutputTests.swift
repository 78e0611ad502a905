import AssayTestSupport
import Foundation
import Testing

#if os(Linux)
    /// What a process says when it ends while secrets are in use.
    @Suite(
        "Secrets in crash output", .timeLimit(.minutes(20)),
        .enabled(if: Sanitizer.isOff, "a sanitizer reports crashes itself"))
    struct CrashOutputTests {
        private static let settings = "enable=yes,color=no,interactive=no,registers=none"

        /// Whether Swift's backtraces work here: they need a program beside the run time, and the right to read the memory
        /// of another process, which containers may lack.
        private static let hasBacktraces: Bool = {
            do {
                let folder = try KeyFolder()
                let process = try SecretProcess(
                    errors: folder.path("errors"),
                    environment: ["SWIFT_BACKTRACE": settings + ",symbolicate=off,cache=no"])
                try process.ask("trap", folder.write("secret", "no secret at all"))
                return String(decoding: try process.end().said, as: UTF8.self).contains(mark)
            } catch {
                return false
            }
        }()

        private static let mark = "Program crashed"

        @Test(
            "A backtrace that leaves registers out, as SECURITY.md has it, shows nothing of the secrets",
            .enabled(if: hasBacktraces, "Swift's backtraces do not work here"))
        func backtrace() throws {
            let account = try SecretAccount()
            let process = try SecretProcess(
                errors: account.folder.path("errors"),
                environment: ["SWIFT_BACKTRACE": Self.settings])
            #expect(try process.ask("policy", account.folder.path("policy.yaml")) == "ok")
            #expect(try process.ask("trap", account.folder.path("secret")) == "about to trap")
            let (status, said) = try process.end()
            #expect(status != 0)
            #expect(String(decoding: said, as: UTF8.self).contains(Self.mark))
            for secret in account.ofPolicy { #expect(secret.found(in: said).isEmpty) }
        }
    }
#endif
