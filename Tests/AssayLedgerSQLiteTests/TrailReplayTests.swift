import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

/// What another program writes to the file is found by its audit trail, in both directions.
@Suite("Replaying the audit trail of the SQLite ledger")
struct TrailReplayTests {
    private static func subject(_ name: String) -> LedgerSubject { LedgerSubject(.account, name) }

    private static func block(_ name: String, at time: Date = Fixture.now) -> LedgerBlock {
        LedgerBlock(subject: subject(name), reason: "fraud", since: time, until: time + 86_400, setBy: "ops")
    }

    private static func new(_ name: String, _ role: OperatorRole = .admin, after seconds: Double = 0) -> LedgerOperator
    {
        LedgerOperator(
            name: name, role: role, addedAt: Fixture.now + seconds, addedBy: "ops", until: Fixture.now + 86_400)
    }

    /// A ledger with each kind of change by hand, each also taken back.
    static func ledger(in folder: TemporaryFolder) async throws -> SQLiteLedger {
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 3)
        for name in ["mallory", "released", "replaced"] { try await ledger.block(block(name)) }
        try await ledger.removeStanding(of: subject("released"), by: "ops", at: Fixture.now + 1)
        try await ledger.block(block("replaced", at: Fixture.now + 2))
        try await ledger.allow(
            LedgerAllowance(
                subject: subject("tester"), checks: [CheckID("a.b"), CheckID("c.d")], reason: "test",
                since: Fixture.now + 0.000_499_6, until: nil))
        for (seed, name) in ["boss", "gone", "again"].enumerated() {
            _ = try await ledger.addOperator(new(name), tokenHash: [UInt8](repeating: UInt8(seed), count: 32))
        }
        for name in ["gone", "again"] { try await ledger.revokeOperator(named: name, by: "ops", at: Fixture.now + 3) }
        _ = try await ledger.addOperator(
            new("again", .viewer, after: 4), tokenHash: [UInt8](repeating: 9, count: 32))
        for (seed, account) in [(UInt32(0), "alice"), (1, "bob")] {
            _ = try await ledger.move(Fixture.identifier(seed), to: account, by: "ops", at: Fixture.now)
        }
        _ = try await ledger.move(Fixture.identifier(1), to: nil, by: "ops", at: Fixture.now + 1)
        try await ledger.quarantine(until: Fixture.now + 300, by: "ops", at: Fixture.now)
        let store = try SealedKeyFixture.store(on: ledger)
        for name in ["live", "retired", "removed"] {
            try await store.add(
                name, for: TestSecret.purpose, parts: TestSecret.parts("s", label: nil), at: Fixture.now)
        }
        try await store.retire("retired", at: Fixture.now + 60, now: Fixture.now)
        try await store.remove("removed", at: Fixture.now)
        return ledger
    }

    /// What another program does, and what the findings say.
    static let changes: [(sql: String, findings: [String])] = [
        ("DELETE FROM block WHERE name = 'mallory'", ["block of account mallory by entry 1", "is not in the ledger"]),
        ("DELETE FROM block WHERE name = 'tester'", ["allowance of account tester by entry 6"]),
        (
            "INSERT INTO block VALUES ('account', 'innocent', 'r', 0, NULL, 0, NULL, NULL)",
            ["block of account innocent is not in the audit trail"]
        ),
        (
            "INSERT INTO block VALUES ('account', 'released', 'fraud', 0, NULL, 0, NULL, 'ops')",
            ["block of account released is not in the audit trail"]
        ),
        ("UPDATE block SET until = until - 1000000 WHERE name = 'mallory'", ["block of account mallory is not"]),
        ("UPDATE block SET reason = 'x' WHERE name = 'replaced'", ["block of account replaced is not"]),
        ("UPDATE block SET allows = 1, checks = 'a.b' WHERE name = 'mallory'", ["allowance of account mallory is not"]),
        ("UPDATE block SET checks = checks || ' e.f' WHERE name = 'tester'", ["allowance of account tester is not"]),
        ("UPDATE block SET operator = 'eve' WHERE name = 'mallory'", ["block of account mallory is not"]),
        (
            "UPDATE operator SET revokedAt = NULL, revokedBy = NULL WHERE name = 'gone'",
            ["operator gone was revoked", "is not revoked in the ledger"]
        ),
        ("UPDATE operator SET revokedAt = revokedAt + 1000000 WHERE name = 'gone'", ["revocation of operator gone"]),
        ("UPDATE operator SET revokedAt = 1 WHERE name = 'boss'", ["revocation of operator boss"]),
        (
            "UPDATE operator SET role = 'admin' WHERE name = 'again'",
            ["operator again, role admin, is not", "operator again, added"]
        ),
        ("UPDATE operator SET until = until + 1000000 WHERE name = 'boss'", ["operator boss, role admin, is not"]),
        (
            "UPDATE operator SET tokenHash = x'\(String(repeating: "cd", count: 32))' WHERE name = 'gone'",
            ["operator gone, role admin, is not in the audit trail as it is stored"]
        ),
        ("DELETE FROM operator WHERE name = 'boss'", ["operator boss, added by entry 7"]),
        (
            "INSERT INTO operator SELECT x'\(String(repeating: "ab", count: 32))', 'mole', 'admin', addedAt, addedBy, until, "
                + "NULL, NULL FROM operator WHERE name = 'boss'",
            ["operator mole, role admin, is not in the audit trail"]
        ),
        (
            "UPDATE enrolledKey SET account = 'mallory' WHERE account = 'alice'",
            ["belongs to account mallory", "entry 13"]
        ),
        ("UPDATE enrolledKey SET account = NULL WHERE account = 'alice'", ["belongs to no account"]),
        (
            "DELETE FROM enrolledKey WHERE account = 'alice'",
            ["moved by entry 13 of the audit trail, is not in the ledger"]
        ),
        ("UPDATE forgottenUse SET madeAt = 0 WHERE kind = 'quarantine'", ["the quarantine of the ledger is not as"]),
        (
            "DELETE FROM forgottenUse WHERE kind = 'quarantine'",
            ["as the audit trail has it, until 2026-04-21T18:18:12Z"]
        ),
        ("DELETE FROM sealedKey WHERE name = 'live'", ["key live, added by entry", "is not in the ledger"]),
        (
            "UPDATE sealedKey SET retiredAt = NULL WHERE name = 'retired'",
            ["key retired is not as the audit trail has it"]
        ),
        ("UPDATE sealedKey SET retiredAt = 5 WHERE name = 'live'", ["key live is not as the audit trail has it"]),
        ("UPDATE sealedKey SET name = 'removed' WHERE name = 'live'", ["key removed is not in the audit trail"]),
    ]

    @Test("A ledger is as its trail says, whatever was set and taken back")
    func sound() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await Self.ledger(in: folder)
        #expect(try await ledger.check { _ in nil } == [])
        var entries = 0
        #expect(try await ledger.replayAudit { _ in entries += 1 } == [])
        #expect(entries > 15)
        // A key that was moved to no account gets one when it is enrolled again.
        try ledger.executeOnWriter("UPDATE enrolledKey SET account = 'carol' WHERE account IS NULL")
        #expect(try await ledger.check { _ in nil } == [])
    }

    @Test("Each change past the trail is found by ledger check and by audit verify", arguments: changes.indices)
    func changed(index: Int) async throws {
        let (sql, findings) = Self.changes[index]
        let folder = try TemporaryFolder()
        let ledger = try await Self.ledger(in: folder)
        try ledger.executeOnWriter(sql)
        for problems in [try await ledger.check { _ in nil }, try await ledger.replayAudit { _ in }] {
            #expect(!problems.isEmpty && problems.count <= 2, "\(sql): \(problems)")
            for finding in findings { #expect(problems.contains { $0.contains(finding) }, "\(sql): \(problems)") }
        }
    }

    @Test("Times between milliseconds are the same in the trail and in the row")
    func times() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        // The times around the half of a millisecond, in steps of a quarter of a microsecond.
        for step in 0..<16 {
            let time = Fixture.now + 0.000_498 + Double(step) * 0.000_000_25
            try await ledger.block(Self.block("a\(step)", at: time))
            let added = LedgerOperator(
                name: "o\(step)", role: .viewer, addedAt: time, addedBy: nil, until: time + 60)
            _ = try await ledger.addOperator(added, tokenHash: [UInt8](repeating: UInt8(step), count: 32))
            try await ledger.revokeOperator(named: "o\(step)", by: nil, at: time + 1)
        }
        #expect(try await ledger.check { _ in nil } == [])
    }

    @Test("A revived operator who is revoked again is as the trail says")
    func repaired() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await Self.ledger(in: folder)
        try ledger.executeOnWriter("UPDATE operator SET revokedAt = NULL WHERE name = 'gone'")
        #expect(try await !ledger.replayAudit { _ in }.isEmpty)
        try await ledger.revokeOperator(named: "gone", by: "ops", at: Fixture.now + 9)
        #expect(try await ledger.replayAudit { _ in } == [])
    }
}
