import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayTestSupport
import CoreMetrics
import Logging
import MetricsTestKit
import ServiceLifecycle
import Synchronization
import Testing

@Suite("Upkeep of a server's verifier", .timeLimit(.minutes(20)))
struct VerifierUpkeepTests {
    /// What happened, in its order.
    private final class Events: Sendable {
        private let events = Mutex<[String]>([])
        var all: [String] { events.withLock { $0 } }
        func add(_ event: String) { events.withLock { $0.append(event) } }
    }

    /// Each refresh of the metrics asks for all keys.
    private struct AskedKeys: KeyStore {
        let events: Events

        func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
            if purpose == ApproovKey.purpose { events.add("refreshed") }
            return []
        }
    }

    /// The server, which is behind the upkeep in the list of services.
    private struct Server: Service {
        let events: Events

        func run() async throws {
            try await gracefulShutdown()
            events.add("served the last request")
        }
    }

    private struct CloseFailed: Error {}

    private static func run(_ events: Events, closing close: @escaping @Sendable () async throws -> Void) async throws {
        let live = try withMetricsFactory(TestMetrics()) {
            try ReloadableVerifier(
                Verifier(policy: TestAPI.policy(), ledger: MemoryLedger(), keyStores: [AskedKeys(events: events)]),
                logger: Logger(label: "test"))
        }
        let upkeep = VerifierUpkeep(live, interval: .milliseconds(1), closing: close)
        let group = ServiceGroup(services: [upkeep, Server(events: events)], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await waitUntil("three refreshes") { events.all.count >= 3 }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("The metrics are refreshed again and again; the ledger is closed once, after the last request")
    func order() async throws {
        let events = Events()
        try await Self.run(events) { events.add("closed") }
        #expect(events.all.prefix(3).allSatisfy { $0 == "refreshed" }, "\(events.all.prefix(4))")
        #expect(events.all.filter { $0 != "refreshed" } == ["served the last request", "closed"])
        #expect(events.all.last == "closed")
    }

    @Test("A ledger that cannot be closed is an error of the server")
    func failure() async throws {
        await #expect(throws: CloseFailed.self) {
            try await Self.run(Events()) { throw CloseFailed() }
        }
    }
}
