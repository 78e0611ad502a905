package import AssayCore
package import FoundationEssentials
import Synchronization

/// The ledger of one replay: empty at first, or layered on a base ledger, which it only reads. Decides by `LedgerRules` with the
/// presumptions of ``ReplayPresumptions``, and never removes a key. About 200 bytes per key, 50 per challenge and 60 per token.
///
/// An assessment stays valid until an earlier record enrols a key that it did not find, or refreshes one that it found. Only commits
/// compare counters.
package final class ReplayLedger: Ledger {
    /// The durability of the base ledger. Keys supplied with evidence count only in an ephemeral ledger: a durable one
    /// contains all enrolled keys.
    package var durability: LedgerDurability { base?.durability ?? .ephemeral }

    package var isDurabilityWaived: Bool { base?.isDurabilityWaived ?? false }

    private let base: BaseLedger?
    private let readsKeys: Bool
    private let state: Mutex<ReplayLedgerState>

    /// A ledger with its own tally, for tests.
    package convenience init(challenges: ReplayChallenges, base: (any Ledger)? = nil) {
        self.init(challenges: challenges, base: base.map { BaseLedger($0) }, tally: PresumptionTally())
    }

    /// - Parameters:
    ///   - challenges: which challenges count as issued.
    ///   - base: supplies keys, blocks and allowances. Its counters are today's, so a key's counter starts at that of
    ///     its first accepted assertion.
    ///   - readsKeys: whether the keys of `base` are enrolled.
    ///   - tally: counts the presumptions.
    init(challenges: ReplayChallenges, base: BaseLedger?, readsKeys: Bool = true, tally: PresumptionTally) {
        self.base = base
        self.readsKeys = readsKeys
        state = Mutex(ReplayLedgerState(challenges: challenges, tally: tally))
    }

    package func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        if let key = ownKey(identifier) { return key }
        return try await baseKey(identifier)
    }

    func ownKey(_ identifier: KeyIdentifier) -> EnrolledKey? { state.withLock { $0.enrolledKey(identifier) } }

    /// A key enrolled by this replay, and the number of its app and properties.
    func ownKeyWithTerms(_ identifier: KeyIdentifier) -> (key: EnrolledKey, terms: UInt32)? {
        state.withLock { state in
            guard let key = state.enrolledKey(identifier), let terms = state.terms(identifier) else { return nil }
            return (key, terms)
        }
    }

    func baseKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        readsKeys ? try await base?.key(identifier) : nil
    }

    package var isWithoutStandings: Bool { base == nil }

    package func standings(
        of subjects: [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> [LedgerStanding] {
        guard let base else { return [] }
        var standings: [LedgerStanding] = []
        for subject in subjects {
            if let standing = try await base.standing(of: subject), standing.isInForce(at: now) {
                standings.append(standing)
            }
        }
        return standings
    }

    package func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        var known: [KnownToBase] = []
        if let base {
            for effect in effects {
                let entries = try await base.known(for: effect.action)
                known.append(readsKeys ? entries : KnownToBase(key: nil, block: entries.block))
            }
        }
        return state.withLock { $0.commit(effects, known, at: now) }
    }

    /// Whether the replay has enrolled or refreshed one of these keys since the assessment read them.
    func isOutdated(_ reads: [UnsettledRead]) -> Bool {
        !reads.isEmpty && state.withLock { state in reads.contains { state.terms($0.identifier) != $0.terms } }
    }

    /// Remembers the unknown keys of a rejected record.
    func noteMissing(_ reads: [UnsettledRead]) {
        state.withLock { state in
            for read in reads where !read.isEnrolled { state.noteMissing(read.identifier) }
        }
    }

    /// Notes the refused attestation of a key that another policy has enrolled.
    func noteRefused(_ identifier: KeyIdentifier, _ attestation: ReplayRoot) {
        state.withLock { $0.noteRefused(identifier, attestation) }
    }

    /// The refused attestation of the first of these keys that has one.
    func refusal(ofAnyOf identifiers: [KeyIdentifier]) -> ReplayRoot? {
        state.withLock { state in identifiers.compactMap { state.refusal(of: $0) }.first }
    }

    /// Enrols a key that another policy has enrolled.
    func adopt(_ key: EnrolledKey) { state.withLock { $0.adopt(key) } }

    package func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) { throw Self.readOnly }

    private static let readOnly = LedgerOutage(.readOnly, "the ledger of a replay is changed by its records alone")
}

/// Counts the presumptions of all ledgers of a replay.
final class PresumptionTally: Sendable {
    private let counts = Mutex(ReplayPresumptions())

    var total: ReplayPresumptions { counts.withLock { $0 } }

    func update(_ body: (inout ReplayPresumptions) -> Void) { counts.withLock { body(&$0) } }
}

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
