import AssayCore
import FoundationEssentials
import Synchronization

/// A key lookup whose result an earlier record's commit can change.
struct UnsettledRead: Sendable {
    let identifier: KeyIdentifier
    /// The number of the app and properties read from the replay's own ledger; nil if it does not have the key.
    let terms: UInt32?
    /// Whether the key was found, in the replay's ledger or its base.
    let isEnrolled: Bool
}

/// A view of the replay's ledger for one assessment. It records the lookups of keys, because commits of earlier records
/// can enrol or refresh these keys.
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

    var isDurabilityWaived: Bool { ledger.isDurabilityWaived }

    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        let own = ledger.ownKeyWithTerms(identifier)
        var key = own?.key
        if key == nil { key = try await ledger.baseKey(identifier) }
        let read = UnsettledRead(identifier: identifier, terms: own?.terms, isEnrolled: key != nil)
        unsettled.withLock { $0.append(read) }
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
