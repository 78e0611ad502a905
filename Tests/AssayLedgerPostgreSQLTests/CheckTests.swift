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
        #expect(try await ledger.settingProblems() == [])
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
            let before = try await ledger.settingProblems()
            #expect(!before.contains { $0.contains(part) })
            try cluster.sql(change)
            let after = try await ledger.settingProblems()
            #expect(after.count == before.count + 1 && after.contains { $0.contains(part) }, "\(change): \(after)")
        }
        #expect(try await ledger.check { _ in nil } == [], "nothing of this is damage")
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

    /// What another program does, and what the findings say.
    static let pastTheTrail: [(sql: String, finding: String)] = [
        ("DELETE FROM S.standing WHERE reason = 'fraud'", "block of account mallory by entry 1"),
        (
            "INSERT INTO S.standing SELECT id || 'x'::bytea, NULL, reason, since, until, 0, NULL, operator FROM S.standing",
            "block of account malloryx is not in the audit trail"
        ),
        ("UPDATE S.standing SET until = 1", "block of account mallory is not in the audit trail"),
        ("UPDATE S.operator SET revoked_at = NULL WHERE name = 'gone'", "operator gone was revoked"),
        (
            "UPDATE S.operator SET role = 'admin' WHERE name = 'boss'",
            "operator boss, role admin, is not in the audit trail"
        ),
        (
            "UPDATE S.operator SET token_hash = sha256(token_hash) WHERE name = 'boss'",
            "operator boss, role viewer, is not"
        ),
        ("DELETE FROM S.operator WHERE name = 'boss'", "operator boss, added by entry 2"),
        ("UPDATE S.enrolled_key SET account = 'mallory'", "belongs to account mallory"),
        ("DELETE FROM S.sealed_key WHERE name = 'live'", "key live, added by entry 6"),
        (
            "UPDATE S.sealed_key SET retired_at = NULL WHERE name = 'retired'",
            "key retired is not as the audit trail has it"
        ),
        ("UPDATE S.sealed_key SET name = 'removed' WHERE name = 'live'", "key removed is not in the audit trail"),
    ]

    @Test(
        "Each change past the audit trail is found by ledger check and by audit verify", arguments: pastTheTrail.indices
    )
    func replayed(index: Int) async throws {
        let (sql, finding) = Self.pastTheTrail[index]
        let cluster = try TestCluster.shared()
        let (ledger, schema) = try await Self.ledger()
        let now = Sample.now + 0.000_499_6
        try await ledger.block(
            LedgerBlock(
                subject: LedgerSubject(.account, "mallory"), reason: "fraud", since: now, until: now + 60, setBy: "ops")
        )
        for (seed, name) in ["boss", "gone"].enumerated() {
            let new = LedgerOperator(name: name, role: .viewer, addedAt: now, addedBy: "ops", until: now + 60)
            _ = try await ledger.addOperator(new, tokenHash: [UInt8](repeating: UInt8(seed), count: 32))
        }
        try await ledger.revokeOperator(named: "gone", by: "ops", at: now)
        _ = try await ledger.commit([Sample.enrol(1)], at: now)
        _ = try await ledger.move(Sample.identifier(1), to: "alice", by: "ops", at: now)
        let store = try SealedKeySample.store(on: ledger)
        for name in ["live", "retired", "removed"] {
            try await store.add(name, for: TestSecret.purpose, parts: TestSecret.parts("s", label: nil), at: now)
        }
        try await store.retire("retired", at: now + 60, now: now)
        try await store.remove("removed", at: now)
        var entries = 0
        #expect(try await ledger.replayAudit { _ in entries += 1 } == [])
        #expect(entries == 10)
        #expect(try await ledger.check { _ in nil } == [])
        try cluster.sql(sql.replacing("S.", with: "\(schema)."))
        for problems in [try await ledger.check { _ in nil }, try await ledger.replayAudit { _ in }] {
            #expect(problems.contains { $0.contains(finding) }, "\(sql): \(problems)")
        }
        try await ledger.close()
    }

    @Test("A sealed key that is written back, or copied from another ledger, does not open")
    func sealedKeys() async throws {
        let cluster = try TestCluster.shared()
        let (ledger, schema) = try await Self.ledger()
        let (other, otherSchema) = try await Self.ledger()
        let store = try SealedKeySample.store(on: ledger)
        func outage() async throws -> OutageCode? {
            let store = try SealedKeySample.store(on: ledger)
            do throws(KeyStoreOutage) {
                _ = try await store.keys(for: TestSecret.purpose)
                return nil
            } catch { return error.code }
        }
        for name in ["a", "b"] {
            try await store.add(
                name, for: TestSecret.purpose, parts: TestSecret.parts(name, label: nil), at: Sample.now)
        }
        try await SealedKeySample.store(on: other).add(
            "c", for: TestSecret.purpose, parts: TestSecret.parts("c", label: nil), at: Sample.now)
        try cluster.sql("CREATE TABLE public.kept_\(schema) AS SELECT * FROM \(schema).sealed_key")
        func writeBack(_ name: String) throws {
            try cluster.sql("DELETE FROM \(schema).sealed_key WHERE name = '\(name)'")
            try cluster.sql(
                "INSERT INTO \(schema).sealed_key SELECT * FROM public.kept_\(schema) WHERE name = '\(name)'")
        }
        try await store.retire("a", at: Sample.now, now: Sample.now)
        #expect(try await outage() == nil)
        try writeBack("a")
        #expect(try await outage() == .corrupt)
        try await store.remove("a", at: Sample.now)
        #expect(try await outage() == nil)
        try writeBack("a")
        #expect(try await outage() == .corrupt)
        try await store.remove("a", at: Sample.now)
        #expect(try await outage() == nil)
        try cluster.sql("INSERT INTO \(schema).sealed_key SELECT * FROM \(otherSchema).sealed_key")
        #expect(try await outage() == .corrupt)
        try await ledger.close()
        try await other.close()
    }

    @Test("A missing synchronous standby and settings that keep dead rows or hide damage are reported")
    func server() async throws {
        let cluster = try TestCluster(["autovacuum=off", "zero_damaged_pages=on"], port: 5446)
        defer { cluster.stop() }
        try await PostgreSQLLedger.create(cluster.url())
        try await PostgreSQLLedger.with(cluster.url()) { ledger in
            let before = try await ledger.settingProblems()
            #expect(before.count == 2, "\(before)")
            #expect(before.contains { $0.hasPrefix("autovacuum is off") })
            #expect(before.contains { $0.hasPrefix("zero_damaged_pages is on") })
            // A slot is reported when it keeps much.
            try cluster.sql("SELECT pg_create_physical_replication_slot('gone', true)")
            #expect(try await ledger.settingProblems() == before)
            try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'none_such'")
            try cluster.sql("SELECT pg_reload_conf()")
            #expect(
                try await poll {
                    try await ledger.settingProblems().contains { $0.contains("no synchronous standby is connected") }
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

/// A key store in a ledger.
private enum SealedKeySample {
    static func store(on ledger: PostgreSQLLedger) throws -> SealedKeyStore {
        SealedKeyStore(
            storage: ledger, masterKey: try MasterKey(text: SecretBytes(String(repeating: "5a", count: 32).utf8)),
            materials: [TestSecret.self])
    }
}
