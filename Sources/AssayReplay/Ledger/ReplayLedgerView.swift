import AssayCore
import FoundationEssentials
import Synchronization

/// A look at a key that a commit of an earlier record can still change the answer to.
struct UnsettledRead: Sendable {
    let identifier: KeyIdentifier
    /// Whether the base ledger has the key.
    let isInBase: Bool
}

/// A replay's ledger as one assessment at a time sees it, with note taken of the keys that the replay did not have: all
/// that a commit of an earlier record can still change.
final class ReplayLedgerView: Ledger {
    private let ledger: ReplayLedger
    private let unsettled = Mutex<[UnsettledRead]>([])

    init(_ ledger: ReplayLedger) {
        self.ledger = ledger
    }

    /// The looks since this was last asked.
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

    func issue(_ challenge: Challenge, at now: Date) async throws(LedgerOutage) {
        try await ledger.issue(challenge, at: now)
    }
}
