import Assay
import AssayCore
import AssayService
import AssayTestSupport
import AssayTesting
import CoreMetrics
import Foundation
import Synchronization
import Testing

/// A service in this process, whose ledger and key store are slow on request.
@Suite("Proofs of readiness", .timeLimit(.minutes(20)))
struct ReadinessProofTests {
    /// A key store without keys, which answers nothing while it is stalled.
    private final class StallingKeys: KeyStore {
        let isStalled = Atomic(false)

        func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
            let end = ContinuousClock.now + TooSlow.limit
            while isStalled.load(ordering: .relaxed), ContinuousClock.now < end {
                try? await Task.sleep(for: .milliseconds(10))
            }
            return []
        }
    }

    /// Runs a service. `body` gets a function that asks it for `/readyz`.
    private static func serving(
        _ ledger: FaultyLedger<MemoryLedger>, _ keys: StallingKeys,
        _ body: (@escaping @Sendable () async throws -> HTTPAnswer) async throws -> Void
    ) async throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let admin = folder.path("admin.sock")
        let configuration = try ServiceConfiguration(
            file: nil, environment: [:],
            settings: [
                ("policy", folder.path("policy.yaml")), ("listen", "unix:\(folder.path("public.sock"))"),
                ("admin", "unix:\(admin)"), ("logLevel", "critical"),
            ])
        let registry = MetricsRegistry()
        let service = try withMetricsFactory(registry) {
            try HTTPService(
                configuration,
                dependencies: ServiceDependencies(ledger: ledger, keyStores: [keys], services: [], metrics: registry))
        }
        let running = Task { try await service.run() }
        /// Asks on a thread of its own: the service in this process needs those of Swift's pool to answer.
        @Sendable func ask() async throws -> HTTPAnswer {
            try await onOwnThread {
                let connection = try waitFor("the service listens") { Connection(ifListeningOn: admin) }
                connection.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return HTTPAnswer(connection.readToEnd())
            }
        }
        try await waitUntil("ready") { try await ask().status == 200 }
        try await body(ask)
        running.cancel()
        _ = await running.result
    }

    @Test("Questions at once share the proof under way, and none gets the result of an earlier one")
    func shared() async throws {
        let ledger = FaultyLedger()
        try await Self.serving(ledger, StallingKeys()) { ask in
            func proofs() -> Int { ledger.history.count { $0.operation == .proveWritable } }
            ledger.follow { operation, _ in operation == .proveWritable ? .delay(.milliseconds(300)) : nil }
            let (before, start) = (proofs(), ContinuousClock.now)
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 { group.addTask { try await ask().status } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            // On a busy machine a proof may be late.
            #expect(answers.contains(200) && answers.isSubset(of: [200, 503]), "\(answers)")
            // One is under way at the start, and one at the end.
            let most = Int((ContinuousClock.now - start) / .milliseconds(300)) + 2
            #expect(proofs() - before <= most, "\(proofs() - before)")
            ledger.recover()
            let last = proofs()
            for _ in 0..<5 { _ = try await ask() }
            // The proof that nobody asks for may answer one of them.
            #expect(proofs() - last >= 4, "\(proofs() - last)")
        }
    }

    @Test("A proof that is late names the part that is late, and the service is ready again after it")
    func late() async throws {
        let (ledger, keys) = (FaultyLedger(), StallingKeys())
        try await Self.serving(ledger, keys) { ask in
            func waitForOutage(_ words: String) async throws {
                var answer = try await ask()
                // On a busy machine another part may be late before.
                try await waitUntil("\(words), found \(answer)") {
                    answer = try await ask()
                    return answer.status == 503 && (answer.json["detail"] as? String ?? "").hasPrefix(words)
                }
            }
            keys.isStalled.store(true, ordering: .relaxed)
            try await waitForOutage("key store outage (timeout): the keys were not read within 3 seconds")
            keys.isStalled.store(false, ordering: .relaxed)
            try await waitUntil("ready") { try await ask().status == 200 }
            ledger.follow { operation, _ in operation == .proveWritable ? .delay(.seconds(4)) : nil }
            try await waitForOutage("ledger outage (timeout): no write has become durable within 3 seconds")
            ledger.recover()
            try await waitUntil("ready") { try await ask().status == 200 }
        }
    }
}
