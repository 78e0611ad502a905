public import FoundationEssentials

/// What a verification needs of the store of challenges, enrolled keys with their counters, used digests and standings.
///
/// Contract of every implementation, tested by `LedgerContract` in `AssayTesting`; ``LedgerRules`` holds the decisions:
/// - ``commit(_:at:)`` applies all effects or none. The outcome of racing commits is that of some order of them.
/// - A durable ledger answers only after the change would survive a power cut.
/// - A ledger that cannot decide throws ``LedgerOutage``. It never guesses.
/// - A challenge or digest that the ledger has purged is never fresh again, even if the clock steps back.
/// - Time is always an argument.
///
/// What operators need beside this is in ``LedgerAdministration``.
public protocol Ledger: Sendable {
    /// Whether what is committed outlives the process.
    var durability: LedgerDurability { get }

    /// Issues a challenge that may be consumed once, before it expires.
    ///
    /// - Throws: ``LedgerOutage``; also when a challenge of the same value exists.
    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage)

    /// The key that was enrolled under an identifier, with its counter, and nil when there is none.
    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey?

    /// True if the ledger knows without I/O that it holds no block and no allowance. Engines read this on every request
    /// before they ask for standings. False says nothing; a ledger that other processes write to returns false.
    var isWithoutStandings: Bool { get }

    /// The blocks and allowances of some subjects that are in force at a time, in the order of the subjects.
    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding]

    /// Applies effects, all together or not at all.
    ///
    /// Every effect is decided against the state before the commit, so that a refusal names every effect that fails.
    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome

    /// Finishes pending operations and releases files and connections. Later operations may be outages.
    func close() async throws(LedgerOutage)
}

extension Ledger {
    /// Does nothing: the ledger holds no file and no connection.
    public func close() async throws(LedgerOutage) {}

    /// False: the ledger has to look.
    public var isWithoutStandings: Bool { false }

    /// The blocks on some subjects that are in force at a time, in the order of the subjects.
    public func blocks(on subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerBlock] {
        try await standings(of: subjects, at: now).compactMap(\.block)
    }

    /// The block on a key that is in force at a time, and nil for none.
    package func block(onKey identifier: KeyIdentifier, at now: Date) async throws(LedgerOutage) -> LedgerBlock? {
        // The subject's name is base64: not built unless it is needed.
        isWithoutStandings ? nil : try await blocks(on: [identifier.subject], at: now).first
    }
}

/// Whether what a ledger commits outlives the process.
public enum LedgerDurability: Sendable, Equatable {
    /// Lost with the process: for tests, replays and one-off verification.
    case ephemeral
    /// Survives a crash and a power cut.
    case durable
}
