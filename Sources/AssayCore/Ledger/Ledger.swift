public import FoundationEssentials

/// The store of challenges, enrolled keys with their counters, used digests and standings.
///
/// Contract of every implementation, tested by `LedgerContract` in `AssayTesting`. ``LedgerRules`` has the decisions.
/// - ``commit(_:at:)`` applies all effects or none. Racing commits have the same outcome as in some serial order.
/// - A durable ledger returns only after the change would survive a power cut.
/// - A ledger that cannot decide throws ``LedgerOutage``. It never guesses.
/// - A challenge or digest that the ledger has purged is never fresh again, even if the clock steps back.
/// - Time is always an argument.
///
/// A verifier needs no more than this. ``LedgerAdministration`` has the operations for operators. A class, a struct or an actor may
/// conform: an actor declares the properties `nonisolated`, and between a decision and its change nothing in ``commit(_:at:)`` may
/// suspend. A later version adds requirements to the ledger protocols only with a default, which is safe for verdicts.
public protocol Ledger: Sendable {
    /// Whether commits outlive the process.
    var durability: LedgerDurability { get }

    /// Whether the ledger may forget what it has committed, because an operator waives durability. Every verdict of this ledger says
    /// so: ``Verdict/isDurabilityWaived``.
    var isDurabilityWaived: Bool { get }

    /// Issues a challenge that may be consumed once before it expires. Throws also if the same value was issued before.
    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage)

    /// The key enrolled under an identifier, with its counter; nil if there is none.
    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey?

    /// True if the ledger knows without waiting that it holds no block and no allowance, in force or ended: engines then skip
    /// ``standings(of:at:)``. False means unknown. A ledger that cannot notice what other processes write returns false.
    var isWithoutStandings: Bool { get }

    /// The blocks and allowances of some subjects that are in force at a time, in the order of the subjects.
    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding]

    /// Applies all effects or none. Decides each against the state before the commit, and reports every refusal.
    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome

    /// Finishes pending operations and releases files and connections. Later operations may throw an outage.
    func close() async throws(LedgerOutage)
}

extension Ledger {
    /// Does nothing: the ledger holds no file and no connection.
    public func close() async throws(LedgerOutage) {}

    /// False: commits are as durable as ``durability`` says.
    public var isDurabilityWaived: Bool { false }

    /// False: unknown.
    public var isWithoutStandings: Bool { false }

    /// The blocks on some subjects that are in force at a time, in the order of the subjects.
    public func blocks(on subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerBlock] {
        try await standings(of: subjects, at: now).compactMap(\.block)
    }

    /// The block on a key that is in force at a time; nil for none.
    package func block(onKey identifier: KeyIdentifier, at now: Date) async throws(LedgerOutage) -> LedgerBlock? {
        // Build the subject, whose name is base64, only if needed.
        isWithoutStandings ? nil : try await blocks(on: [identifier.subject], at: now).first
    }
}

/// Whether commits of a ledger outlive the process.
public enum LedgerDurability: Sendable, Equatable {
    /// Lost with the process: for tests, replays and one-off verification.
    case ephemeral
    /// Survives a crash and a power cut.
    case durable
}
