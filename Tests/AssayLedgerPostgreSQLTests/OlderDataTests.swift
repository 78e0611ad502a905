import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Testing

/// A process compares what its server has with what the server has acknowledged to it.
@Suite("A server with older data", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct OlderDataTests {
    /// A digest that counts once.
    private static let use = LedgerEffect(
        CheckID("test.digest"),
        .rememberDigest(
            UsedDigest(
                digest: [1], app: Sample.app, kind: EvidenceKind("test"), madeAt: Sample.now, usedAt: Sample.now,
                until: Sample.now + 300)))

    private static let block = LedgerBlock(
        subject: LedgerSubject(.device, "d1"), reason: "test", since: Sample.now, until: nil)

    /// The outage of an operation; nil if there is none.
    private static func outage(_ body: () async throws -> Void) async -> LedgerOutage? {
        do { try await body() } catch { return error as? LedgerOutage }
        return nil
    }

    /// Whether all operations are the outage `wrong-ledger`. A connection that only reads looks once a second, and a proof of a write
    /// is valid for two.
    private static func isRefused(_ ledger: PostgreSQLLedger) async throws -> Bool {
        let operations: [() async throws -> Void] = [
            { _ = try await ledger.commit([use], at: Sample.now) }, { _ = try await ledger.counter(1) },
            { try await ledger.proveWritable(at: Sample.now) }, { try await ledger.block(block) },
        ]
        return try await poll {
            for operation in operations where await outage(operation)?.code != .wrongLedger { return false }
            return true
        }
    }

    @Test(
        "After the promotion of a standby that lacks writes, a process refuses it until it is restarted or the primary is back"
    )
    func promotion() async throws {
        let primary = try TestCluster(port: 5452)
        defer { primary.stop() }
        try await PostgreSQLLedger.create(primary.url())
        let standby = try TestCluster(port: 5453, standbyOf: primary)
        defer { standby.stop() }
        let folders = [primary, standby].map { "\($0.folder.url.path.replacing("/", with: "%2F")):\($0.port)" }
        let ledger = try await PostgreSQLLedger.open(
            "postgresql://postgres@\(folders.joined(separator: ","))/postgres?timeout=5")
        _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
        let count = "SELECT count(*) FROM assay.enrolled_key"
        #expect(try await poll { try standby.sql(count) == "1" })
        standby.stop()
        #expect(try await ledger.commit([Sample.advance(1, to: 1), Self.use], at: Sample.now).isApplied)
        primary.kill()
        try standby.start()
        try standby.promote()

        #expect(try await Self.isRefused(ledger))
        #expect(try standby.sql("SELECT count(*) FROM assay.used_digest") == "0")
        let outage = await Self.outage { _ = try await ledger.commit([Self.use], at: Sample.now) }
        #expect(
            outage?.message.contains("a standby without them was promoted") == true, "\(String(describing: outage))")
        // A process that begins now has had nothing acknowledged.
        try await PostgreSQLLedger.with(standby.url()) { fresh in
            let counter = try await fresh.counter(1)
            let outcome = try await fresh.commit([Self.use], at: Sample.now)
            #expect(counter == 0 && outcome.isApplied)
        }
        #expect(try await Self.isRefused(ledger))

        standby.stop()
        try primary.start()
        #expect(try await poll { (try? await ledger.counter(1)) == 1 })
        #expect(try await poll { await ledger.outage(of: [Sample.advance(1, to: 2)]) == nil })
        #expect(try await !ledger.commit([Self.use], at: Sample.now).isApplied)
        try await ledger.close()
    }

    @Test(
        "Older data behind connections that stay, as behind a pooler, are refused, and accepted when the newer are back"
    )
    func openConnections() async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger()
        let schema = try #require(url.split(separator: "=").last)
        try await PostgreSQLLedger.with(url) { ledger in
            _ = try await ledger.commit([Sample.enrol(1), Self.use], at: Sample.now)
            #expect(try await ledger.counter(1) == 0)
            try cluster.sql(
                "BEGIN; UPDATE \(schema).writer SET batch = batch - 1; DELETE FROM \(schema).used_digest; COMMIT")
            let first = await Self.outage { _ = try await ledger.commit([Self.use], at: Sample.now) }
            #expect(first?.code == .wrongLedger, "the first batch, at once")
            #expect(try await Self.isRefused(ledger))
            try cluster.sql("UPDATE \(schema).writer SET batch = batch + 1")
            #expect(await ledger.outage(of: [Sample.advance(1, to: 1)]) == nil)
            #expect(try await ledger.counter(1) == 1)
        }
    }

    @Test("A writer whose row was purged goes on, and one whose row is missing too early does not")
    func missingRow() async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger()
        let schema = try #require(url.split(separator: "=").last)
        // Each batch is eight days old.
        try cluster.sql(
            """
            CREATE FUNCTION \(schema).age() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN NEW.seen_at := NEW.seen_at - 691200000000; RETURN NEW; END$$;
            CREATE TRIGGER age BEFORE INSERT OR UPDATE ON \(schema).writer FOR EACH ROW EXECUTE FUNCTION \(schema).age()
            """)
        try await PostgreSQLLedger.with(url) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            #expect(try await poll { try cluster.sql("SELECT count(*) FROM \(schema).writer") == "0" })
            #expect(try await ledger.counter(1) == 0)
            try cluster.sql("DROP TRIGGER age ON \(schema).writer")
            #expect(await ledger.outage(of: [Sample.advance(1, to: 1)]) == nil)
            #expect(try await ledger.counter(1) == 1)
            try cluster.sql("DELETE FROM \(schema).writer")
            #expect(try await Self.isRefused(ledger))
        }
    }

    @Test("Idle connections that the server closes cost no outage")
    func idleConnections() async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger("application_name=idle")
        try await PostgreSQLLedger.with(url) { ledger in
            _ = try await ledger.commit([Sample.enrol(1), Self.use], at: Sample.now)
            for counter in UInt32(1)...4 {
                #expect(try await ledger.counter(1) == counter - 1)
                try cluster.sql(
                    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'idle'")
                #expect(await ledger.outage(of: [Sample.advance(1, to: counter)]) == nil)
                #expect(try await !ledger.commit([Self.use], at: Sample.now).isApplied)
                try await ledger.block(Self.block)
            }
        }
    }
}
