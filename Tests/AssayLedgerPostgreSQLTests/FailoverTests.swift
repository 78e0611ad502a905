import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Failover", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct FailoverTests {
    @Test("With a synchronous standby nothing that was acknowledged is lost when the primary dies")
    func promotion() async throws {
        let keys = 8
        let primary = try TestCluster(port: 5450)
        defer { primary.stop() }
        let plain = primary.url()
        try await PostgreSQLLedger.create(plain)
        let standby = try TestCluster(port: 5451, standbyOf: primary)
        defer { standby.stop() }
        try primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try primary.sql("SELECT pg_reload_conf()")
        #expect(
            try await poll {
                try primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
            })
        let refusal = await #expect(throws: LedgerOutage.self) {
            try await PostgreSQLLedger.with(standby.url()) { _ in }
        }
        #expect(refusal?.code == .readOnly && refusal?.message.contains("name the primary") == true)
        let folders = [primary, standby].map { "\($0.folder.url.path.replacing("/", with: "%2F")):\($0.port)" }
        let url = "postgresql://postgres@\(folders.joined(separator: ","))/postgres?timeout=5"
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit((0..<keys).map(Sample.enrol), at: Sample.now)
        let progress = Progress(keys: keys)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in 0..<keys {
                group.addTask {
                    var counter: UInt32 = 0
                    while !progress.isOver.load(ordering: .relaxed), !Task.isCancelled {
                        counter += 1
                        // An attempt that ended in an outage is not repeated: the next counter is greater.
                        let outcome = try? await ledger.commit([Sample.advance(key, to: counter)], at: Sample.now)
                        if let outcome {
                            #expect(outcome.isApplied, "counter \(counter) of key \(key): \(outcome.decisions)")
                            progress.acknowledged.withLock { $0[key] = counter }
                        }
                    }
                }
            }
            #expect(try await poll { progress.acknowledged.withLock { $0.allSatisfy { $0 >= 20 } } })
            primary.kill()
            try standby.promote()
            let atPromotion = progress.acknowledged.withLock { $0 }
            #expect(try await poll { progress.acknowledged.withLock { zip($0, atPromotion).allSatisfy { $0 > $1 } } })
            progress.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        // What was acknowledged before and after, on the new primary alone.
        try await PostgreSQLLedger.with(standby.url()) { promoted in
            for (key, counter) in progress.acknowledged.withLock({ $0 }).enumerated() {
                let stored = try await promoted.counter(key)
                #expect(stored ?? 0 >= counter, "key \(key)")
            }
        }
        try await ledger.close()
    }
}

/// How far the writers are.
private final class Progress: Sendable {
    /// The last counter of each key that was acknowledged.
    let acknowledged: Mutex<[UInt32]>
    let isOver = Atomic(false)

    init(keys: Int) { acknowledged = Mutex([UInt32](repeating: 0, count: keys)) }
}
