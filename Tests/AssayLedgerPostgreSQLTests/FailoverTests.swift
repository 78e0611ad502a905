import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Failover and poolers", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
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
        await #expect(throws: LedgerOutage.self) { try await PostgreSQLLedger.with(standby.url()) { _ in } }
        let folders = [primary, standby].map { "\($0.folder.url.path.replacing("/", with: "%2F")):\($0.port)" }
        let url = "postgresql://postgres@\(folders.joined(separator: ","))/postgres?timeout=5"
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit((0..<keys).map(Sample.enrol), at: Sample.now)
        let progress = Progress(keys: keys)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in 0..<keys {
                group.addTask {
                    var counter: UInt32 = 0
                    while !progress.isOver.load(ordering: .relaxed) {
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

    @Test("Behind pgbouncer in transaction mode a ledger works as without it, and misses of settings are named")
    func pooler() async throws {
        let cluster = try TestCluster.shared()
        let direct = try await cluster.newLedger()
        let schema = try #require(direct.split(separator: "=").last)
        let pooler = try Pooler(cluster)
        let url = pooler.url("schema=\(schema)&pooler=transaction")
        try await PostgreSQLLedger.with(url) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for counter in UInt32(1)...40 {
                    group.addTask {
                        try await ledger.commit([Sample.advance(1, to: (counter + 1) / 2)], at: Sample.now).isApplied
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.contains(true))
            #expect(try await ledger.counter(1) == 20)
            try await ledger.block(
                LedgerBlock(subject: LedgerSubject(.device, "d1"), reason: "test", since: Sample.now, until: nil))
            #expect(try await ledger.standings().count == 1)
            #expect(try await ledger.check { _ in nil } == [])
        }
        // The pooler ends with its object.
        withExtendedLifetime(pooler) {}
    }
}

/// How far the writers are.
private final class Progress: Sendable {
    /// The last counter of each key that was acknowledged.
    let acknowledged: Mutex<[UInt32]>
    let isOver = Atomic(false)

    init(keys: Int) { acknowledged = Mutex([UInt32](repeating: 0, count: keys)) }
}

/// pgbouncer in front of a cluster.
private final class Pooler {
    private let process = Process()
    private let folder: URL
    private let port = 6432

    init(_ cluster: TestCluster) throws {
        folder = cluster.folder.url
        let program = "/usr/sbin/pgbouncer"
        try #require(FileManager.default.isExecutableFile(atPath: program), "Debian's pgbouncer is needed")
        let file = folder.appendingPathComponent("pgbouncer.ini")
        try """
        [databases]
        postgres = host=\(folder.path) port=\(cluster.port)
        [pgbouncer]
        listen_addr =
        unix_socket_dir = \(folder.path)
        listen_port = \(port)
        auth_type = any
        pool_mode = transaction
        default_pool_size = 3
        """.replacing("[databases]\npostgres = ", with: "[databases]\npostgres = user=postgres ")
            .write(to: file, atomically: true, encoding: .utf8)
        if getuid() == 0 {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = ["--reuid=nobody", "--regid=nogroup", "--clear-groups", program, "-q", file.path]
        } else {
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = ["-q", file.path]
        }
        let log = folder.appendingPathComponent("pgbouncer.log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let socket = folder.appendingPathComponent(".s.PGSQL.\(port)").path
        while !FileManager.default.fileExists(atPath: socket) {
            try #require(
                process.isRunning, "pgbouncer has ended: \((try? String(contentsOf: log, encoding: .utf8)) ?? "")")
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func url(_ query: String) -> String {
        "postgresql://postgres@\(folder.path.replacing("/", with: "%2F")):\(port)/postgres?\(query)"
    }
}
