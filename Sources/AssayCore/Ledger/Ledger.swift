public import FoundationEssentials

/// What outlives a verification: challenges, enrolled keys and their counters, used digests, blocked and allowed subjects.
///
/// Contract, held by every implementation and tested by the contract suite in `AssayTesting`:
/// - ``commit(_:at:)`` applies all effects or none. The outcome of racing commits is that of some order of them.
/// - A durable ledger answers only after what it answers would survive a power cut.
/// - When the ledger cannot decide, it throws ``LedgerOutage``. It never guesses.
/// - What it has forgotten is never fresh again, whichever way the clock steps.
/// - Time is always an argument.
public protocol Ledger: Sendable {
    /// Whether what is committed outlives the process.
    var durability: LedgerDurability { get }

    /// Issues a challenge that may be consumed once, before it expires.
    ///
    /// - Throws: ``LedgerOutage``; also when a challenge of the same value exists.
    func issue(_ challenge: Challenge, at now: Date) async throws(LedgerOutage)

    /// The key that was enrolled under an identifier, with its counter, and nil when there is none.
    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey?

    /// Whether the ledger knows, without a look at anything but its memory, that it holds no standing at all. Engines ask
    /// this first, on every request. `false` says nothing: there may be standings, or the ledger would have to look.
    var isWithoutStandings: Bool { get }

    /// The blocks and allowances of some subjects that are in force at a time, in the order of the subjects.
    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding]

    /// Applies effects, all together or not at all.
    ///
    /// Every effect is decided against the state before the commit, so that a refusal names every effect that fails.
    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome

    /// Blocks a subject, in place of the block or allowance that there may be.
    func block(_ block: Block) async throws(LedgerOutage)

    /// Allows a subject what policy would refuse, in place of the block or allowance that there may be.
    func allow(_ allowance: Allowance) async throws(LedgerOutage)

    /// Makes a subject one like any other: lifts the block on it, or ends its allowance.
    ///
    /// - Returns: what there was, whether or not it was still in force, and nil for nothing.
    @discardableResult
    func allow(_ subject: LedgerSubject) async throws(LedgerOutage) -> LedgerStanding?

    /// Hands every entry to `body`, in a consistent snapshot, section by section in the order of ``LedgerEntry``.
    func export(_ body: (LedgerEntry) throws -> Void) async throws

    /// Counts what the ledger holds at a time.
    func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary

    /// Finishes what has been asked for, and gives back what the ledger holds of the system. Whatever is asked for later
    /// may be an outage. A ledger that holds nothing has nothing to do.
    func close() throws(LedgerOutage)
}

extension Ledger {
    /// There is nothing to give back.
    public func close() throws(LedgerOutage) {}

    /// Nothing is known without a look.
    public var isWithoutStandings: Bool { false }

    /// Which of some subjects are blocked at a time, in their order.
    public func blocks(on subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [Block] {
        try await standings(of: subjects, at: now).compactMap(\.block)
    }

    /// The block on a key that is in force at a time, and nil for none. The key's name is not made for nothing.
    public func block(onKey identifier: KeyIdentifier, at now: Date) async throws(LedgerOutage) -> Block? {
        isWithoutStandings ? nil : try await blocks(on: [identifier.subject], at: now).first
    }
}

/// Whether what a ledger commits outlives the process.
public enum LedgerDurability: Sendable, Equatable {
    /// Gone with the process: for tests, replays and one-off verification.
    case ephemeral
    /// Survives a crash and a power cut.
    case durable
}

/// One entry of a ledger, as exported.
public enum LedgerEntry: Sendable, Equatable {
    /// An issued challenge; the time at which it was consumed, if it was.
    case challenge(Challenge, consumedAt: Date?)
    /// An enrolled key with its counter.
    case key(EnrolledKey)
    /// A digest that was used.
    case digest(UsedDigest)
    /// A block.
    case block(Block)
    /// An allowance.
    case allowance(Allowance)
}

/// How many entries a ledger holds.
public struct LedgerSummary: Sendable, Equatable {
    /// Challenges that can still be consumed.
    public let openChallenges: Int
    /// Challenges that were consumed and are remembered until they would have expired.
    public let consumedChallenges: Int
    /// Enrolled keys.
    public let keys: Int
    /// Digests that are remembered.
    public let digests: Int
    /// Blocks in force.
    public let blocks: Int
    /// Allowances in force.
    public let allowances: Int

    /// Counts a ledger's entries.
    public init(
        openChallenges: Int, consumedChallenges: Int, keys: Int, digests: Int, blocks: Int, allowances: Int
    ) {
        self.openChallenges = openChallenges
        self.consumedChallenges = consumedChallenges
        self.keys = keys
        self.digests = digests
        self.blocks = blocks
        self.allowances = allowances
    }
}
