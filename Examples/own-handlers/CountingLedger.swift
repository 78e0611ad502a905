import Assay
import Foundation

/// A ledger of one's own, as an actor: it counts the commits, and leaves the decisions to another.
actor CountingLedger: Ledger {
    private let ledger: any Ledger
    private(set) var commits = 0

    nonisolated var durability: LedgerDurability { ledger.durability }

    init(_ ledger: any Ledger) { self.ledger = ledger }

    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        try await ledger.issue(challenge, at: now)
    }

    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await ledger.enrolledKey(identifier)
    }

    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] {
        try await ledger.standings(of: subjects, at: now)
    }

    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        commits += 1
        return try await ledger.commit(effects, at: now)
    }
}
