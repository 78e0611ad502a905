import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Testing

@Suite("assay ledger check", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct CheckTests {
    private static func ledger() async throws -> (ledger: PostgreSQLLedger, schema: Substring) {
        let url = try await TestCluster.shared().newLedger()
        return (try await PostgreSQLLedger.open(url), try #require(url.split(separator: "=").last))
    }

    @Test("A sound ledger has no problems, and each foreign change of its tables is one")
    func definitions() async throws {
        let cluster = try TestCluster.shared()
        try cluster.sql("CREATE ROLE editor")
        let (ledger, schema) = try await Self.ledger()
        #expect(try await ledger.check { _ in nil } == [])
        for (change, part) in [
            ("ALTER TABLE \(schema).used_digest DROP CONSTRAINT used_digest_pkey", "used_digest.id is not unique"),
            ("DROP INDEX \(schema).challenge_expires_at", "index challenge_expires_at"),
            ("GRANT DELETE ON \(schema).audit TO editor", "role editor has the right DELETE on table audit"),
            (
                "GRANT SELECT ON \(schema).enrolled_key TO PUBLIC",
                "every role has the right SELECT on table enrolled_key"
            ),
            ("ALTER TABLE \(schema).standing ENABLE ROW LEVEL SECURITY", "row level security on table standing"),
            ("CREATE RULE quiet AS ON DELETE TO \(schema).standing DO INSTEAD NOTHING", "rule quiet on table standing"),
            (
                "CREATE TRIGGER quiet BEFORE UPDATE ON \(schema).enrolled_key FOR EACH ROW "
                    + "EXECUTE FUNCTION suppress_redundant_updates_trigger()", "trigger quiet on table enrolled_key"
            ),
        ] {
            let before = try await ledger.check { _ in nil }
            #expect(!before.contains { $0.contains(part) })
            try cluster.sql(change)
            let after = try await ledger.check { _ in nil }
            #expect(after.count == before.count + 1 && after.contains { $0.contains(part) }, "\(change): \(after)")
        }
        try await ledger.close()
    }

    @Test(
        "A block or an allowance that is not in the audit trail is reported, and one that is replaced or renewed is not"
    )
    func foreignBlocks() async throws {
        let cluster = try TestCluster.shared()
        let (ledger, schema) = try await Self.ledger()
        let since = Date(timeIntervalSince1970: 1_776_795_192.123_456)
        func block(_ name: String, _ reason: String) async throws {
            try await ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.device, name), reason: reason, since: since, until: since + 60,
                    setBy: "alice"))
        }
        try await block("a", "first")
        try await block("a", "second")
        try await block("b", "x")
        _ = try await ledger.removeStanding(of: LedgerSubject(.device, "b"), by: "alice", at: since)
        try await block("b", "y")
        try await ledger.allow(
            LedgerAllowance(
                subject: LedgerSubject(.account, "c"), checks: [CheckID("a.b")], reason: "z", since: since, until: nil))
        #expect(try await ledger.check { _ in nil } == [])
        // A changed row, and a row that was removed and written back.
        try cluster.sql("UPDATE \(schema).standing SET reason = 'third' WHERE reason = 'second'")
        try cluster.sql("CREATE TABLE \(schema).kept AS SELECT * FROM \(schema).standing WHERE reason = 'y'")
        _ = try await ledger.removeStanding(of: LedgerSubject(.device, "b"), by: "alice", at: since)
        try cluster.sql("INSERT INTO \(schema).standing SELECT * FROM \(schema).kept")
        let problems = try await ledger.check { _ in nil }
        #expect(problems.count == 2, "\(problems)")
        for name in ["device a", "device b"] {
            #expect(problems.contains { $0.contains("block of \(name) is not in the audit trail") })
        }
        try await block("a", "fourth")
        try await block("b", "fifth")
        #expect(try await ledger.check { _ in nil } == [])
        try await ledger.close()
    }

    @Test("A missing synchronous standby and settings that keep dead rows or hide damage are reported")
    func server() async throws {
        let cluster = try TestCluster(["autovacuum=off", "zero_damaged_pages=on"], port: 5446)
        defer { cluster.stop() }
        try await PostgreSQLLedger.create(cluster.url())
        try await PostgreSQLLedger.with(cluster.url()) { ledger in
            let before = try await ledger.check { _ in nil }
            #expect(before.count == 2, "\(before)")
            #expect(before.contains { $0.hasPrefix("autovacuum is off") })
            #expect(before.contains { $0.hasPrefix("zero_damaged_pages is on") })
            // A slot is reported when it keeps much.
            try cluster.sql("SELECT pg_create_physical_replication_slot('gone', true)")
            #expect(try await ledger.check { _ in nil } == before)
            try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'none_such'")
            try cluster.sql("SELECT pg_reload_conf()")
            #expect(
                try await poll {
                    try await ledger.check { _ in nil }.contains { $0.contains("no synchronous standby is connected") }
                })
        }
    }

    @Test("Clocks that are apart by more than a second, and unused slots that keep more than 1 GiB, are reported")
    func limits() {
        #expect(ServerCheck.slotProblem("gone", keeps: 1 << 30) == nil)
        #expect(
            ServerCheck.slotProblem("gone", keeps: 3 << 30)?.contains("gone is not in use and keeps 3072 MiB") == true)
        for difference in [0, 999_999, -999_999, 1_000_000] {
            #expect(ServerCheck.clockProblem(Int64(difference)) == nil)
        }
        #expect(ServerCheck.clockProblem(90_500_000)?.contains("90.5 seconds ahead") == true)
        #expect(ServerCheck.clockProblem(-2_000_000)?.contains("2.0 seconds behind") == true)
        #expect(ServerCheck.clockProblem(.min) != nil)
    }

    @Test("A server whose clock is ahead purges nothing that the database's clock still needs")
    func purgeWithClockAhead() async throws {
        let url = try await TestCluster.shared().newLedger()
        let ledger = try await PostgreSQLLedger.open(url, purging: .byClock { .distantFuture })
        let now = Date()
        let use = UsedDigest(
            digest: [1], app: Sample.app, kind: EvidenceKind("test"), madeAt: now, usedAt: now, until: now + 60)
        let effect = LedgerEffect(CheckID("test.digest"), .rememberDigest(use))
        #expect(try await ledger.commit([effect], at: now).isApplied)
        #expect(try await ledger.purge(at: now + 10 * 86_400) == 0)
        #expect(try await !ledger.commit([effect], at: now).isApplied)
        try await ledger.close()
    }
}
