import AssayCore
import FoundationEssentials
import Synchronization

/// A key lookup whose result an earlier record's commit can change.
struct UnsettledRead: Sendable {
    let identifier: KeyIdentifier
    /// Whether the base ledger has the key.
    let isInBase: Bool
}

/// A view of the replay's ledger for one assessment. Records lookups of keys that the replay has not enrolled: commits
/// of earlier records can change only these.
final class ReplayLedgerView: Ledger {
    private let ledger: ReplayLedger
    private let unsettled = Mutex<[UnsettledRead]>([])

    init(_ ledger: ReplayLedger) {
        self.ledger = ledger
    }

    /// Returns and clears the recorded lookups.
    func takeUnsettled() -> [UnsettledRead] {
        unsettled.withLock { unsettled in
            guard !unsettled.isEmpty else { return [] }
            defer { unsettled = [] }
            return unsettled
        }
    }

    var durability: LedgerDurability { ledger.durability }

    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        if let key = ledger.ownKey(identifier) { return key }
        let key = try await ledger.baseKey(identifier)
        unsettled.withLock { $0.append(UnsettledRead(identifier: identifier, isInBase: key != nil)) }
        return key
    }

    var isWithoutStandings: Bool { ledger.isWithoutStandings }

    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] {
        try await ledger.standings(of: subjects, at: now)
    }

    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try await ledger.commit(effects, at: now)
    }

    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        try await ledger.issue(challenge, at: now)
    }
}
