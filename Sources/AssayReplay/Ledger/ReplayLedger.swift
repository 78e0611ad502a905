public import AssayCore
public import FoundationEssentials
import Synchronization

/// The ledger of one replay, isolated from every other: it begins empty or on top of a base ledger, which it only reads,
/// and ends with the replay.
///
/// It decides by the rules of every ledger, with what a replay has to presume; see ``ReplayPresumptions``. Its own keys stay
/// once they are there, and change in nothing but the counter, which only a commit compares: an assessment that found one
/// stays true, and one that found none stays true until the key is enrolled.
///
/// Memory grows with what must not happen twice: about 200 bytes a key, 50 a challenge and 60 a token.
public final class ReplayLedger: Ledger {
    /// What counts as issued of challenges.
    public enum Challenges: Sendable, Equatable {
        /// Every challenge at its first use; later uses fail, for as long as the replay lasts.
        case presumed
        /// None: evidence under a policy that asks the ledger for challenges is rejected.
        case none
    }

    /// A key that came with evidence counts here, as it does in every ledger that is gone with its process; but not on top
    /// of a base ledger that lasts, which knows the keys that are enrolled and would not take another one's word.
    public var durability: LedgerDurability { base?.durability ?? .ephemeral }

    private let base: BaseLedger?
    private let state: Mutex<ReplayLedgerState>

    /// Begins a ledger.
    ///
    /// - Parameters:
    ///   - challenges: what counts as issued.
    ///   - base: a ledger whose keys, blocks and allowances count. Nothing is written to it. Its counters are those of today, so
    ///     that the counter of a key begins at the one that its first accepted assertion presents.
    public convenience init(challenges: Challenges, base: (any Ledger)? = nil) {
        self.init(challenges: challenges, base: base.map { BaseLedger($0) })
    }

    /// Begins a ledger on what another one has read of the base already.
    init(challenges: Challenges, base: BaseLedger?) {
        self.base = base
        state = Mutex(ReplayLedgerState(challenges: challenges))
    }

    /// What was presumed so far.
    public var presumptions: ReplayPresumptions { state.withLock { $0.presumptions } }

    /// The key that the replay or the base ledger has enrolled.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        if let key = ownKey(identifier) { return key }
        return try await baseKey(identifier)
    }

    /// The key that the replay has enrolled.
    func ownKey(_ identifier: KeyIdentifier) -> EnrolledKey? { state.withLock { $0.key(identifier) } }

    /// The key that the base ledger has enrolled.
    func baseKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await base?.key(identifier)
    }

    /// Whether there is no base ledger: a replay blocks and allows nobody.
    public var isWithoutStandings: Bool { base == nil }

    /// The blocks and allowances of the base ledger.
    public func standings(
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

    /// Applies effects, all together or not at all.
    public func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try LedgerRules.requireDistinct(effects)
        var known: [KnownToBase] = []
        if let base {
            for effect in effects { known.append(try await base.known(for: effect.action)) }
        }
        return state.withLock { $0.commit(effects, known, at: now) }
    }

    /// Whether the replay has a key by now that it did not have when an assessment looked.
    func isOutdated(_ reads: [UnsettledRead]) -> Bool {
        !reads.isEmpty && state.withLock { state in reads.contains { state.has($0.identifier) } }
    }

    /// Notes that a record was rejected whose keys nobody had enrolled.
    func noteMissing(_ reads: [UnsettledRead]) {
        state.withLock { state in
            for read in reads where !read.isInBase { state.noteMissing(read.identifier) }
        }
    }

    /// Issues nothing: a replay has no clients.
    public func issue(_ challenge: Challenge, at now: Date) async throws(LedgerOutage) { throw Self.readOnly }

    private static let readOnly = LedgerOutage(.readOnly, "the ledger of a replay is changed by its records alone")
}
