import Approov
import Assay
import AssayCore
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
        let live: LiveVerifier
        let log: TestLog
        let path: String

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
        let live = try LiveVerifier(
            Verifier(policy: PolicyFile.load(path: path), ledger: ledger), logger: log.logger)
        let watch = PolicyWatch(path: path, live: live, interval: interval, logger: log.logger) { policy in
            Verifier(policy: policy, ledger: ledger)
        }
        let group = ServiceGroup(services: [watch], logger: log.logger)
        let watched = Watched(folder: folder, live: live, log: log, path: path)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await until { log.entries.contains { $0.text.hasPrefix("policy in force") } }
            try await body(watched)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Waits for a condition, up to the suite's time limit.
    private static func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("An edited file turns the switch, and a bad one changes nothing and is logged")
    func edits() async throws {
        try await Self.watching(interval: .milliseconds(20)) { watched in
            try watched.replacePolicy(Self.text("off"))
            try await Self.until { watched.live.enforcement.enforcement(of: "api") == .off }
            try watched.replacePolicy(Self.text("sometimes"))
            try await Self.until { watched.log.entries.contains { $0.level == .error } }
            #expect(watched.live.enforcement.enforcement(of: "api") == .off)
            #expect(watched.log.entries.contains { $0.level == .error && $0.text.contains("sometimes") })
            try FileManager.default.removeItem(atPath: watched.path)
            try await Self.until { watched.log.entries.count { $0.level == .error } == 2 }
            #expect(watched.live.enforcement.enforcement(of: "api") == .off)
            // In place, as some editors write: reading it while it is empty changes nothing.
            try watched.folder.write("policy.yaml", Self.text("annotate"))
            try await Self.until { watched.live.enforcement.enforcement(of: "api") == .annotate }
            // Logged after the change.
            try await Self.until { watched.log.entries.count { $0.level == .warning } == 2 }
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
            try await Self.until { watched.log.entries.contains { $0.level == .error } }
            #expect(watched.log.entries.contains { $0.level == .error && $0.text.contains("there are later (no key") })
            let verdict = try await watched.live.verifier.verifyApproovToken(
                ApproovTokenInput(token: TestAPI.token()), app: "api", at: TestAPI.now)
            #expect(verdict.outcome == .accept)
            try write("annotate")
            try await Self.until { watched.live.enforcement.enforcement(of: "api") == .annotate }
        }
    }

    @Test("SIGHUP reads the policy again, with the secrets that it refers to")
    func signal() async throws {
        try await Self.watching(interval: .seconds(3600)) { watched in
            let next = [UInt8](repeating: 0x11, count: 64)
            try watched.folder.write("now.b64", Base64.encode(next, .standard))
            let token = try TestAPI.token(secret: next)
            func outcome() async throws -> Verdict.Outcome {
                try await watched.live.verifier.verifyApproovToken(
                    ApproovTokenInput(token: token), app: "api", at: TestAPI.now
                ).outcome
            }
            #expect(try await outcome() == .reject)
            try watched.folder.shell("kill -HUP \(ProcessInfo.processInfo.processIdentifier)")
            while try await outcome() == .reject { try await Task.sleep(for: .milliseconds(5)) }
        }
    }
}
