import AssayCore
import AssayLedgerPostgreSQL
import Testing

@Suite("Poolers", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct PoolerTests {
    @Test("Behind pgbouncer in transaction mode a ledger works as without it, and misses of settings are named")
    func pooler() async throws {
        let cluster = try TestCluster.shared()
        let direct = try await cluster.newLedger()
        let schema = try #require(direct.split(separator: "=").last)
        let pooler = try Pooler(cluster, port: 6432)
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

    @Test(
        "A pooler in a mode that the URL does not name is an outage that says what to change",
        arguments: [
            ("statement", "&pooler=transaction", 6433, "pool_mode"), ("statement", "", 6434, "pooler=session"),
            ("transaction", "", 6435, "pooler=transaction"), ("session", "", 6436, "pooler=session"),
        ])
    func wrongMode(_ mode: String, _ parameter: String, _ port: Int, _ part: String) async throws {
        let cluster = try TestCluster.shared()
        let direct = try await cluster.newLedger()
        let schema = try #require(direct.split(separator: "=").last)
        let pooler = try Pooler(cluster, mode: mode, port: port)
        do {
            try await PostgreSQLLedger.open(pooler.url("schema=\(schema)\(parameter)")).close()
            Issue.record("the ledger was opened")
        } catch let outage as LedgerOutage {
            #expect(outage.code == .unreachable && outage.message.contains(part), "\(outage)")
        }
        withExtendedLifetime(pooler) {}
    }

    @Test("Behind pgbouncer in session mode prepared statements and settings of the session hold")
    func sessionMode() async throws {
        let cluster = try TestCluster.shared()
        let schema = try #require(try await cluster.newLedger().split(separator: "=").last)
        let pooler = try Pooler(cluster, mode: "session", size: 10, port: 6437)
        try await PostgreSQLLedger.with(pooler.url("schema=\(schema)&pooler=session")) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            for counter in UInt32(1)...5 {
                #expect(try await ledger.commit([Sample.advance(1, to: counter)], at: Sample.now).isApplied)
            }
            #expect(try await ledger.counter(1) == 5)
        }
        withExtendedLifetime(pooler) {}
    }
}
