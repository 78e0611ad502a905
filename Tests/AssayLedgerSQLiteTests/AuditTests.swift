import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// The audit trail in a file: changes are detected.
@Suite("Audit trail of the SQLite ledger")
struct AuditTests {
    private static let hand = "UPDATE audit SET detail = 'harmless' WHERE number = 2"

    /// A ledger with five entries.
    private func ledger(in folder: TemporaryFolder) async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.open(path: folder.path())
        for number in 1...5 {
            try await ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.device, "d\(number)"), reason: "fraud", since: Fixture.now, until: nil,
                    setBy: "ops"))
        }
        return ledger
    }

    private func entries(_ ledger: SQLiteLedger) async throws -> [LedgerAuditEntry] {
        var entries: [LedgerAuditEntry] = []
        try await ledger.audit { entries.append($0) }
        return entries
    }

    private func problems(_ entries: [LedgerAuditEntry]) -> [String] {
        var chain = LedgerAuditChain()
        return entries.compactMap { chain.problem(with: $0) }
    }

    @Test("No program can change or delete entries", arguments: [hand, "DELETE FROM audit"])
    func appendOnly(_ sql: String) async throws {
        let folder = try TemporaryFolder()
        let ledger = try await ledger(in: folder)
        let before = try await entries(ledger)
        #expect(before.count == 5 && problems(before) == [])
        #expect(throws: (any Error).self) { try ledger.executeOnWriter(sql) }
        #expect(try await entries(ledger) == before)
    }

    @Test(
        "The hashes and ledger check reveal changes made after removing the triggers",
        arguments: [
            hand, "UPDATE audit SET operator = 'eve' WHERE number = 3",
            "UPDATE audit SET at = at + 1000 WHERE number = 5",
            "UPDATE audit SET hash = zeroblob(32) WHERE number = 1", "DELETE FROM audit WHERE number = 1",
            "DELETE FROM audit WHERE number = 3", "UPDATE audit SET number = 9 WHERE number = 5",
            "UPDATE audit SET subject = 'device d9', hash = x'00' WHERE number = 4",
            "UPDATE audit SET action = 'nothing' WHERE number = 4",
        ])
    func tampered(_ sql: String) async throws {
        let folder = try TemporaryFolder()
        let ledger = try await ledger(in: folder)
        try ledger.executeOnWriter("DROP TRIGGER auditIsNotChanged; DROP TRIGGER auditIsNotShortened; \(sql)")
        let found = try await ledger.check(Verifier.problem(withKey:))
        #expect(found.contains { $0.contains("trigger auditIsNotChanged is missing") })
        #expect(found.contains { $0.contains("audit trail") || $0.contains("row of audit") }, "\(found)")
    }

    @Test("Entries removed at the end are detected only with a saved hash")
    func truncated() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await ledger(in: folder)
        let kept = try #require(try await entries(ledger).last?.hash)
        try ledger.executeOnWriter("DROP TRIGGER auditIsNotShortened; DELETE FROM audit WHERE number = 5")
        let left = try await entries(ledger)
        #expect(problems(left) == [] && !left.contains { $0.hash == kept })
    }

    @Test("Changes of the key store are recorded without a secret, refused ones are not recorded")
    func keys() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let store = SealedKeyStore(
            storage: ledger, masterKey: try SealedKeyFixture.masterKey(), materials: Verifier.keyMaterials)
        let secret = Base64.encode([UInt8](repeating: 7, count: 64), .standard)
        try await store.add(
            "a", for: KeyPurpose("approov"), parts: ["secret": SecretBytes(Array(secret.utf8))], scope: "shop",
            by: "ops", at: Fixture.now)
        try await store.retire("a", at: Fixture.now + 60, by: "ops", now: Fixture.now)
        _ = try? await store.retire("a", at: Fixture.now + 90, by: "ops", now: Fixture.now)
        try await store.remove("a", by: "eve", at: Fixture.now)
        let entries = try await entries(ledger)
        #expect(entries.map(\.change.action) == [.addKey, .retireKey, .removeKey])
        #expect(entries.map(\.change.operatorName) == ["ops", "ops", "eve"])
        #expect(entries.allSatisfy { $0.change.subject == "key a" && !$0.text.contains(secret.prefix(12)) })
        #expect(problems(entries) == [])
    }

    @Test("A rejected commit and a repeated removal append nothing, and the entry text is as documented")
    func text() async throws {
        let folder = try TemporaryFolder()
        let ledger = try SQLiteLedger.open(path: folder.path())
        let device = LedgerSubject(.device, "d\"1\"")
        try await ledger.allow(
            LedgerAllowance(
                subject: device, checks: [CheckID("approov.token.annotations")], reason: "pen test",
                since: Date(timeIntervalSince1970: 1_790_000_000.25), until: Date(timeIntervalSince1970: 1_790_000_060),
                setBy: "ops"))
        try await ledger.removeStanding(of: LedgerSubject(.device, "d2"), by: "ops", at: Fixture.now)
        let entry = try #require(try await entries(ledger).first)
        #expect(try await entries(ledger).count == 1)
        #expect(
            entry.text
                == #"{"number":1,"at":"2026-09-21T14:13:20.250Z","operator":"ops","action":"allow","subject":"device d\"1\"","#
                + #""detail":"checks approov.token.annotations; until 2026-09-21T14:14:20Z: pen test","previous":"\#(String(repeating: "0", count: 64))"}"#
        )
        #expect(entry.hash == Digest.sha256(Array(entry.text.utf8)))
    }
}
