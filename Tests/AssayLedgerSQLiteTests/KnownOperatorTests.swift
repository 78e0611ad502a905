import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

/// `liveOperator`: without a query while nothing changes, and never an operator that was revoked.
@Suite("A ledger keeps the operators that it has found until a process commits", .timeLimit(.minutes(10)))
struct KnownOperatorTests {
    private static let hash = [UInt8](repeating: 7, count: 32)
    private static let alice = LedgerOperator(
        name: "alice", role: .caller, addedAt: Fixture.now, addedBy: nil, until: Fixture.now + 3600)

    @Test("While no process writes, two look-ups at each connection are enough, and time ends an operator all the same")
    func queries() async throws {
        let folder = try TemporaryFolder()
        let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1)
        #expect(try await ledger.addOperator(Self.alice, tokenHash: Self.hash) == nil)
        let before = ledger.countOfQueriesForOperators
        for _ in 0..<1000 {
            #expect(try await ledger.liveOperator(tokenHash: Self.hash, at: Fixture.now) == Self.alice)
        }
        // The first look-up of a connection maps the index of the write-ahead log, and a test may change its thread.
        #expect(ledger.countOfQueriesForOperators <= before + 16)
        #expect(try await ledger.liveOperator(tokenHash: Self.hash, at: Fixture.now + 3600) == nil)
        #expect(try await ledger.liveOperator(tokenHash: [UInt8](repeating: 8, count: 32), at: Fixture.now) == nil)
        try await ledger.close()
    }

    @Test("An operator that is revoked elsewhere is not live once the revocation has its answer")
    func revokedElsewhere() async throws {
        for round in 0..<50 {
            let folder = try TemporaryFolder()
            let ledger = try await SQLiteLedger.prepared(folder.path(), keys: 1, busyTimeout: .seconds(20))
            let other = try SQLiteLedger.open(path: folder.path(), busyTimeout: .seconds(20))
            #expect(try await ledger.addOperator(Self.alice, tokenHash: Self.hash) == nil)
            for counter in UInt32(1)...3 {
                for _ in 0..<8 {
                    #expect(try await ledger.liveOperator(tokenHash: Self.hash, at: Fixture.now) == Self.alice)
                }
                _ = try await other.commit([Fixture.advance(0, counter)], at: Fixture.now)
                if counter == 2 { try ledger.executeOnWriter("PRAGMA wal_checkpoint(TRUNCATE)") }
            }
            for _ in 0..<8 {
                #expect(try await ledger.liveOperator(tokenHash: Self.hash, at: Fixture.now) == Self.alice)
            }
            #expect(try await other.revokeOperator(named: "alice", by: "ops", at: Fixture.now) == Self.alice)
            #expect(
                try await ledger.liveOperator(tokenHash: Self.hash, at: Fixture.now) == nil, "round \(round)")
            try await other.close()
            try await ledger.close()
        }
    }
}
