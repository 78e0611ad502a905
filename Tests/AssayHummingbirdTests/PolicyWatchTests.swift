import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayPrimitives
import AssayTestSupport
import Foundation
import Logging
import ServiceLifecycle
import Testing

@Suite("Following a policy file", .serialized, .timeLimit(.minutes(20)))
struct PolicyWatchTests {
    private static func text(_ enforcement: String) -> String {
        """
        version: 1
        keys:
          - { name: now, use: approov, secret: "file:now.b64" }
        apps:
          - { name: api, approov: { keys: [now], enforcement: \(enforcement) } }

        """
    }

    private struct Watched {
        let folder: TestFolder
        let live: ReloadableVerifier
        let log: TestLog
        let path: String
        let ledger: MemoryLedger

        /// The action, subject and detail of each entry of the audit trail.
        func trail() async throws -> [String] {
            var entries: [String] = []
            try await ledger.audit {
                entries.append("\($0.change.action.rawValue) \($0.change.subject): \($0.change.detail)")
            }
            return entries
        }

        /// Replaces the policy atomically: otherwise half of it might be read.
        func replacePolicy(_ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }

    private static func watching(
        interval: Duration, _ body: @Sendable (Watched) async throws -> Void
    ) async throws {
        let folder = try TestFolder()
        try folder.write("now.b64", Base64.encode(TestAPI.secret, .standard))
        try folder.shell("chmod 600 now.b64")
        let path = try folder.write("policy.yaml", text("reject"))
        let log = TestLog()
        let ledger = MemoryLedger()
        let live = try ReloadableVerifier(
            Verifier(policy: PolicyFile.load(path: path), ledger: ledger), logger: log.logger)
        let watch = PolicyWatch(path: path, verifier: live, interval: interval, logger: log.logger) { policy in
            Verifier(policy: policy, ledger: ledger)
        }
        let group = ServiceGroup(services: [watch], logger: log.logger)
        let watched = Watched(folder: folder, live: live, log: log, path: path, ledger: ledger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await waitUntil("a policy in force") { log.entries.contains { $0.text.hasPrefix("policy in force") } }
            try await body(watched)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("A file that was cut and can be read is a warning; what it lacks is in the log and in the audit trail")
    func cut() async throws {
        try await Self.watching(interval: .milliseconds(20)) { watched in
            let more = "  - { name: bank, approov: { keys: [now] } }\nchecks:\n  approov.token.binding: enforce\n"
            try watched.replacePolicy(Self.text("reject") + more)
            func reports() -> [String] {
                watched.log.entries.map(\.text).filter {
                    $0.hasPrefix("policy in force") && $0.contains("policyDigest")
                }
            }
            try await waitUntil("a report: \(reports())") { reports().count == 1 }
            #expect(reports().first?.contains(#"assay.appsAdded=["bank"]"#) == true, "\(reports())")
            try watched.replacePolicy(Self.text("reject"))
            try await waitUntil("a report: \(reports())") { reports().count == 2 }
            #expect(reports().last?.contains(#"assay.appsRemoved=["bank"]"#) == true, "\(reports())")
            let warnings = watched.log.entries.filter { $0.text.hasPrefix("the policy may accept more than before") }
            #expect(warnings.count == 1 && warnings.first?.level == .warning)
            #expect(warnings.first?.text.contains("app bank removed") == true, "\(warnings.map(\.text))")
            // Entries follow when the policy is in force.
            try await waitUntil("two entries") { try await watched.trail().count >= 2 }
            let trail = try await watched.trail()
            #expect(trail.first?.hasPrefix("change-policy policy sha256:") == true, "\(trail)")
            #expect(trail.last?.contains("the file changed; before sha256:") == true, "\(trail)")
            #expect(trail.last?.contains("app bank removed") == true, "\(trail)")
        }
    }

    @Test("The emergency switch in code is in the audit trail, once for each app that it turns")
    func switched() async throws {
        try await Self.watching(interval: .seconds(3600)) { watched in
            try watched.live.enforcement.turn(to: .off, for: "api", because: "INC-4711")
            watched.live.enforcement.turnAll(to: .off, because: "again")
            try await waitUntil("an entry") { try await !watched.trail().isEmpty }
            let entries = try await watched.trail()
            #expect(entries == ["switch-enforcement app api: approov.token: reject -> off; INC-4711"], "\(entries)")
        }
    }

    @Test("A policy, or a file that it names, that every user may write is not used; the one before stays in force")
    func replaceable() async throws {
        try await Self.watching(interval: .milliseconds(20)) { watched in
            func errors() -> [String] { watched.log.entries.filter { $0.level == .error }.map(\.text) }
            try watched.replacePolicy(Self.text("off"))
            try await waitUntil("a switch") { watched.live.enforcement.enforcement(of: "api") == .off }
            try watched.folder.shell("chmod 666 policy.yaml")
            try await waitUntil("an error: \(errors())") { errors().count == 1 }
            #expect(errors()[0].contains("every user of this machine may write the file (mode 666)"), "\(errors())")
            try watched.folder.shell("chmod 644 policy.yaml; chmod 777 .")
            try await waitUntil("an error: \(errors())") { errors().count == 2 }
            #expect(errors()[1].contains("has mode 777"), "\(errors())")
            #expect(throws: PolicyError.self) { try PolicyFile.load(path: watched.path) }
            #expect(watched.live.enforcement.enforcement(of: "api") == .off)
        }
    }

    @Test("An edited file turns the switch, and a bad one changes nothing and is logged")
    func edits() async throws {
        try await Self.watching(interval: .milliseconds(20)) { watched in
            try watched.replacePolicy(Self.text("off"))
            try await waitUntil("a switch") { watched.live.enforcement.enforcement(of: "api") == .off }
            try watched.replacePolicy(Self.text("sometimes"))
            try await waitUntil("a line of the log") { watched.log.entries.contains { $0.level == .error } }
            #expect(watched.live.enforcement.enforcement(of: "api") == .off)
            #expect(watched.log.entries.contains { $0.level == .error && $0.text.contains("sometimes") })
            try FileManager.default.removeItem(atPath: watched.path)
            try await waitUntil("a line of the log") { watched.log.entries.count { $0.level == .error } == 2 }
            #expect(watched.live.enforcement.enforcement(of: "api") == .off)
            // In place, as some editors write: reading it while it is empty changes nothing.
            try watched.folder.write("policy.yaml", Self.text("annotate"))
            try await waitUntil("a switch") { watched.live.enforcement.enforcement(of: "api") == .annotate }
            // Logged after the change.
            try await waitUntil("a line of the log") {
                watched.log.entries.count { $0.level == .warning && $0.text.hasPrefix("enforcement switched") } == 2
            }
        }
    }

    @Test(
        "A rejecting policy needs a live key; one that lets requests through does not")
    func keyless() async throws {
        try await Self.watching(interval: .milliseconds(20)) { watched in
            _ = try EvidenceMiddleware<BasicEvidenceRequestContext>(watched.live, app: "api")
            func write(_ enforcement: String) throws {
                let text = Self.text(enforcement).replacing("keys: [now]", with: "keys: [later]")
                try watched.replacePolicy(text)
            }
            try write("reject")
            try await waitUntil("a line of the log") { watched.log.entries.contains { $0.level == .error } }
            #expect(watched.log.entries.contains { $0.level == .error && $0.text.contains("there are later (no key") })
            let verdict = try await watched.live.verifier.verify(
                ApproovTokenInput(token: TestAPI.token()), app: "api", at: TestAPI.now)
            #expect(verdict.outcome == .accept)
            try write("annotate")
            try await waitUntil("a switch") { watched.live.enforcement.enforcement(of: "api") == .annotate }
        }
    }

    @Test("SIGHUP reads the policy again, with the secrets that it refers to")
    func signal() async throws {
        try await Self.watching(interval: .seconds(3600)) { watched in
            let next = [UInt8](repeating: 0x11, count: 64)
            try watched.folder.write("now.b64", Base64.encode(next, .standard))
            let token = try TestAPI.token(secret: next)
            func outcome() async throws -> Verdict.Outcome {
                try await watched.live.verifier.verify(
                    ApproovTokenInput(token: token), app: "api", at: TestAPI.now
                ).outcome
            }
            #expect(try await outcome() == .reject)
            try watched.folder.shell("kill -HUP \(ProcessInfo.processInfo.processIdentifier)")
            try await waitUntil("the new secret") { try await outcome() != .reject }
        }
    }
}
