import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import CoreMetrics
import Foundation
import MetricsTestKit
import Testing

@Suite("Databases, roles and settings", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct SettingsTests {
    private static func outage(_ url: String) async -> LedgerOutage? {
        do {
            try await PostgreSQLLedger.with(url) { _ in }
            return nil
        } catch {
            return error as? LedgerOutage
        }
    }

    @Test("A ledger is created once, and a schema of something else is left alone")
    func creation() async throws {
        let cluster = try TestCluster.shared()
        let url = cluster.url("schema=created")
        let missing = await Self.outage(url)
        #expect(missing?.code == .unreachable && missing?.message.contains("assay ledger create") == true)
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { try await PostgreSQLLedger.create(url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 } == 1)
        try cluster.sql("CREATE SCHEMA shopping; CREATE TABLE shopping.cart (id int)")
        for attempt in [await Self.outage(cluster.url("schema=shopping"))] {
            #expect(attempt?.code == .corrupt && attempt?.message.contains("no ledger") == true)
        }
        await #expect(throws: LedgerOutage.self) { try await PostgreSQLLedger.create(cluster.url("schema=shopping")) }
        #expect(try cluster.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'shopping'") == "1")
    }

    @Test(
        "Tables that are too new, of an unreleased build or moved away are refused",
        arguments: [
            ("version = 2, compatible = 2", OutageCode.newerSchema, "update it"),
            ("version = 0, compatible = 0", .corrupt, "is of version 0"),
            ("moved_to = 'elsewhere'", .wrongLedger, "moved to elsewhere"),
            ("application = 0", .corrupt, "of an unreleased build, version 2"),
        ])
    func versions(_ change: String, _ code: OutageCode, _ part: String) async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger()
        let schema = try #require(url.split(separator: "=").last)
        try cluster.sql("UPDATE \(schema).ledger SET version = 2, compatible = 1")
        // A newer version that this one may use too.
        try await PostgreSQLLedger.with(url) { _ in }
        try cluster.sql("UPDATE \(schema).ledger SET \(change)")
        let outage = await Self.outage(url)
        #expect(outage?.code == code && outage?.message.contains(part) == true)
    }

    @Test("Tables of an unreleased build, which have no mark, are refused with their version, also by create")
    func unreleasedBuild() async throws {
        let cluster = try TestCluster.shared()
        let url = cluster.url("schema=unreleased")
        try await PostgreSQLLedger.create(url)
        try cluster.sql(
            "ALTER TABLE unreleased.ledger DROP COLUMN application; UPDATE unreleased.ledger SET version = 2")
        let refused = await Self.outage(url)
        #expect(refused?.code == .corrupt)
        #expect(refused?.message.contains("of an unreleased build, version 2") == true)
        let outage = await #expect(throws: LedgerOutage.self) { try await PostgreSQLLedger.create(url) }
        #expect(outage?.code == .corrupt)
        #expect(try cluster.sql("SELECT version FROM unreleased.ledger") == "2")
    }

    @Test("A role with the grants can do everything but change the audit trail; one without is refused")
    func roles() async throws {
        let cluster = try TestCluster.shared()
        try cluster.sql("CREATE ROLE server LOGIN; CREATE ROLE stranger LOGIN")
        let owner = cluster.url("schema=granted")
        try await PostgreSQLLedger.create(owner, grantingTo: "server")
        let stranger = await Self.outage(cluster.url("schema=granted", user: "stranger"))
        #expect(stranger?.code == .readOnly && stranger?.message.contains("grants") == true)
        try await PostgreSQLLedger.with(cluster.url("schema=granted", user: "server")) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            #expect(try await ledger.commit([Sample.advance(1, to: 1)], at: Sample.now).isApplied)
            try await ledger.block(
                LedgerBlock(subject: LedgerSubject(.device, "d1"), reason: "test", since: Sample.now, until: nil))
            _ = try await ledger.removeStanding(of: LedgerSubject(.device, "d1"), by: "alice", at: Sample.now)
            _ = try await ledger.store([1], named: "devices", replacing: 0, at: Sample.now)
            #expect(
                try await ledger.putTask([1], in: "work", dueAt: Sample.now, bytes: [2], replacing: 0, at: Sample.now))
            let leased = try await ledger.leaseTasks(
                in: "work", to: "a", until: Sample.now + 9, atMost: 9, at: Sample.now)
            #expect(leased.map(\.bytes) == [[2]])
            #expect(try await ledger.removeTask([1], in: "work", replacing: 2, at: Sample.now))
            _ = try await ledger.purge(at: Date())
            #expect(try await ledger.check { _ in nil } == [])
        }
        for statement in [
            "DELETE FROM granted.audit", "UPDATE granted.audit SET detail = 'x'", "DROP TABLE granted.audit",
        ] {
            #expect(throws: TestCluster.Failure.self) { try cluster.sql("SET ROLE server; \(statement)") }
        }
        // The owner may; the chain of hashes and its end show it.
        try cluster.sql("DELETE FROM granted.audit WHERE number = 2")
        try await PostgreSQLLedger.with(owner) { ledger in
            let problems = try await ledger.check { _ in nil }
            #expect(problems.contains { $0.contains("entry 2 was the last one") })
        }
    }

    @Test("A server that may forget what it has committed is refused, unless the URL waives durability")
    func durability() async throws {
        let cluster = try TestCluster(["full_page_writes=off"], port: 5440)
        defer { cluster.stop() }
        let url = cluster.url("schema=waived&durability=waived")
        try await PostgreSQLLedger.create(url)
        let refused = await Self.outage(cluster.url("schema=waived"))
        #expect(refused?.code == .notDurable && refused?.message.contains("full_page_writes is off") == true)
        let metrics = TestMetrics()
        let ledger = try await withMetricsFactory(metrics) { try await PostgreSQLLedger.open(url) }
        #expect(ledger.isDurabilityWaived)
        #expect(Self.value(metrics, .ledgerWaived) == 1)
        #expect(try await ledger.commit([Sample.enrol(1)], at: Sample.now).isApplied)
        let problems = try await ledger.settingProblems()
        #expect(problems.contains { $0.contains("full_page_writes") })
        #expect(try await ledger.check { _ in nil } == [], "settings are no damage")
        try await ledger.close()
    }

    @Test("A ledger counts its connections, purged entries and rows as metrics")
    func metrics() async throws {
        let url = try await TestCluster.shared().newLedger()
        let metrics = TestMetrics()
        let ledger = try await withMetricsFactory(metrics) { try await PostgreSQLLedger.open(url) }
        #expect(Self.value(metrics, .ledgerWaived) == 0)
        for name in [MetricName.ledgerRaces, .ledgerLostAnswers, .ledgerUndetermined, .ledgerPurged] {
            #expect(Self.value(metrics, name) == 0, "\(name)")
        }
        let use = UsedDigest(
            digest: [1], app: Sample.app, kind: EvidenceKind("test.message"), madeAt: Sample.now, usedAt: Sample.now,
            until: Sample.now + 60)
        let effects = [Sample.enrol(1), LedgerEffect(CheckID("test.replay"), .rememberDigest(use))]
        #expect(try await ledger.commit(effects, at: Sample.now).isApplied)
        // A batch of the ledger has begun on one connection; the other one may not have been used.
        #expect(Self.value(metrics, .ledgerConnections) == 1)
        #expect(try await ledger.purge(at: Sample.now + 7200) == 1)
        #expect(Self.value(metrics, .ledgerPurged) == 1)
        // The first write reads the statistics in the background.
        let isCounted = try await poll { Self.value(metrics, .ledgerDeadRows) != nil }
        #expect(isCounted && Self.value(metrics, .ledgerRows) != nil)
        try await ledger.close()
    }

    /// The value of a counter, or the last one of a gauge; nil if it was never set.
    private static func value(_ metrics: TestMetrics, _ name: MetricName) -> Double? {
        metrics.counters.first { $0.label == name.rawValue }.map { Double($0.totalValue) }
            ?? metrics.meters.first { $0.label == name.rawValue && $0.lastValue != nil }?.lastValue
    }

    @Test("A role that turns durable commits off has them turned on")
    func synchronousCommit() async throws {
        let cluster = try TestCluster.shared()
        try cluster.sql("CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET synchronous_commit = off")
        let url = cluster.url("schema=hasty", user: "hasty")
        try await PostgreSQLLedger.create(url)
        let problems = try await PostgreSQLLedger.with(url) { ledger in try await ledger.check { _ in nil } }
        #expect(problems == [])
    }

    @Test("A check while another server appends to the audit trail finds no damage")
    func growingTrail() async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger()
        let schema = try #require(url.split(separator: "=").last)
        try await PostgreSQLLedger.with(url) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            // The check looks at keys before it looks at the end of the trail.
            let problems = try await ledger.check { _ in
                do { try cluster.sql("UPDATE \(schema).audit_head SET number = number + 1") } catch {
                    return "\(error)"
                }
                return nil
            }
            #expect(problems == [])
            #expect(try await ledger.check { _ in nil }.contains { $0.contains("audit trail") })
        }
    }

    @Test("Names of any bytes and lengths are stored as they are")
    func names() async throws {
        let url = try await TestCluster.shared().newLedger()
        try await PostgreSQLLedger.with(url) { ledger in
            let long = String(repeating: "\u{0}\u{10FFFF}x", count: 11_000)
            let texts = ["", "\u{0}", "'; DROP TABLE x; --", long]
            for (number, text) in texts.enumerated() {
                let key = EnrolledKey(
                    identifier: KeyIdentifier(engine: text, value: Array(text.utf8)), app: text,
                    publicKey: [UInt8(number)], counter: .max, enrolledAt: Sample.now, properties: [text: text],
                    account: text)
                let effects = [
                    LedgerEffect(CheckID("test.enrolment"), .enrol(key)),
                    LedgerEffect(
                        CheckID("test.digest"),
                        .rememberDigest(
                            UsedDigest(
                                digest: Array("\(number)\(text)".utf8), app: text, kind: EvidenceKind(text),
                                madeAt: Sample.now, usedAt: Sample.now, until: Sample.now + 300))),
                ]
                #expect(try await ledger.commit(effects, at: Sample.now).isApplied)
                #expect(try await ledger.enrolledKey(key.identifier) == key)
                #expect(try await ledger.keys(of: text) == [key])
                let block = LedgerBlock(
                    subject: LedgerSubject(.account, text), reason: text, since: Sample.now, until: nil, setBy: text)
                try await ledger.block(block)
                #expect(try await ledger.blocks(on: [block.subject], at: Sample.now) == [block])
            }
            #expect(try await ledger.summary(at: Sample.now).keys == texts.count)
        }
    }
}
