public import AssayCore
public import FoundationEssentials
import Synchronization

/// A ledger that fails by plan, so that you can see what your service does when its ledger does.
///
/// ```swift
/// // The second commit is applied, and its answer is lost.
/// let ledger = FaultyLedger(MemoryLedger()) { operation, number in
///     operation == .commit && number == 2 ? .answerLost() : nil
/// }
/// ```
///
/// Everything that no fault meets goes to the ledger behind it, and ``history`` tells what was asked and what came of it.
public final class FaultyLedger: Ledger {
    /// What a ledger is asked for.
    public enum Operation: String, Sendable, CaseIterable {
        /// ``Ledger/issue(_:at:)``
        case issue
        /// ``Ledger/enrolledKey(_:)``
        case enrolledKey
        /// ``Ledger/standings(of:at:)``
        case standings
        /// ``Ledger/commit(_:at:)``
        case commit
        /// ``Ledger/block(_:)``
        case block
        /// ``Ledger/allow(_:)-(Allowance)``
        case allow
        /// ``Ledger/allow(_:)-(LedgerSubject)``
        case endStanding
        /// ``Ledger/export(_:)``
        case export
        /// ``Ledger/summary(at:)``
        case summary
    }

    /// What happens to an operation.
    public enum Fault: Sendable, Equatable {
        /// It fails before it has any effect.
        case outage(LedgerOutage = .planned)
        /// It takes effect, and whoever asked is told that it failed.
        case answerLost(LedgerOutage = .planned)
        /// It succeeds after so long.
        case delay(Duration)
    }

    /// Something that was asked.
    public struct Step: Sendable, Equatable {
        /// What was asked for.
        public let operation: Operation
        /// Which of its kind it was, from 1 on.
        public let number: Int
        /// What happened to it, and nil for nothing.
        public let fault: Fault?
    }

    /// Decides what happens to an operation, of which it is told the number among those of its kind, from 1 on.
    public typealias Plan = @Sendable (_ operation: Operation, _ number: Int) -> Fault?

    /// What the ledger says of itself.
    public let durability: LedgerDurability
    private let base: any Ledger
    private let state: Mutex<State>

    private struct State {
        var plan: Plan
        /// How many plans came before this one.
        var era = 0
        var steps: [Step] = []
        var counts: [Operation: Int] = [:]
    }

    /// Puts a plan before a ledger.
    ///
    /// - Parameters:
    ///   - base: what keeps the entries.
    ///   - durability: what the ledger says of itself; nil for what `base` says.
    ///   - plan: what happens to each operation; nil for nothing.
    public init(
        _ base: any Ledger = MemoryLedger(), durability: LedgerDurability? = nil,
        plan: @escaping Plan = { _, _ in nil }
    ) {
        self.base = base
        self.durability = durability ?? base.durability
        state = Mutex(State(plan: plan))
    }

    /// A ledger that nobody can reach: whatever it is asked for is an outage.
    public static func unreachable(_ outage: LedgerOutage = .planned) -> FaultyLedger {
        FaultyLedger(durability: .durable) { _, _ in .outage(outage) }
    }

    /// What was asked, in the order in which it came.
    public var history: [Step] { state.withLock { $0.steps } }

    /// Goes by another plan from now on. Numbers start at 1 again, and the history is empty.
    public func follow(_ plan: @escaping Plan) {
        state.withLock { $0 = State(plan: plan, era: $0.era + 1) }
    }

    /// Lets everything through from now on.
    public func recover() { follow { _, _ in nil } }

    /// Never true: engines that are told so ask no further, and no plan could meet them.
    public var isWithoutStandings: Bool { false }

    /// Issues a challenge, unless the plan is against it.
    public func issue(_ challenge: Challenge, at now: Date) async throws(LedgerOutage) {
        try await perform(.issue) { (base) throws(LedgerOutage) in try await base.issue(challenge, at: now) }
    }

    /// The key that was enrolled, unless the plan is against it.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await perform(.enrolledKey) { (base) throws(LedgerOutage) in try await base.enrolledKey(identifier) }
    }

    /// The standings of some subjects, unless the plan is against it.
    public func standings(
        of subjects: [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> [LedgerStanding] {
        try await perform(.standings) { (base) throws(LedgerOutage) in
            try await base.standings(of: subjects, at: now)
        }
    }

    /// Applies effects, unless the plan is against it.
    public func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try await perform(.commit) { (base) throws(LedgerOutage) in try await base.commit(effects, at: now) }
    }

    /// Blocks a subject, unless the plan is against it.
    public func block(_ block: Block) async throws(LedgerOutage) {
        try await perform(.block) { (base) throws(LedgerOutage) in try await base.block(block) }
    }

    /// Allows a subject, unless the plan is against it.
    public func allow(_ allowance: Allowance) async throws(LedgerOutage) {
        try await perform(.allow) { (base) throws(LedgerOutage) in try await base.allow(allowance) }
    }

    /// Ends the standing of a subject, unless the plan is against it.
    @discardableResult
    public func allow(_ subject: LedgerSubject) async throws(LedgerOutage) -> LedgerStanding? {
        try await perform(.endStanding) { (base) throws(LedgerOutage) in try await base.allow(subject) }
    }

    /// Hands every entry to `body`, unless the plan is against it.
    public func export(_ body: (LedgerEntry) throws -> Void) async throws {
        let fault = note(.export)
        if case .outage(let outage) = fault { throw outage }
        try await base.export(body)
        try await end(fault)
    }

    /// Counts the entries, unless the plan is against it.
    public func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        try await perform(.summary) { (base) throws(LedgerOutage) in try await base.summary(at: now) }
    }

    /// Closes the ledger behind it.
    public func close() throws(LedgerOutage) { try base.close() }

    private func perform<Answer>(
        _ operation: Operation, _ body: (any Ledger) async throws(LedgerOutage) -> Answer
    ) async throws(LedgerOutage) -> Answer {
        let fault = note(operation)
        if case .outage(let outage) = fault { throw outage }
        let answer = try await body(base)
        try await end(fault)
        return answer
    }

    private func note(_ operation: Operation) -> Fault? {
        let (plan, number, place) = state.withLock { state in
            let number = state.counts[operation, default: 0] + 1
            state.counts[operation] = number
            state.steps.append(Step(operation: operation, number: number, fault: nil))
            return (state.plan, number, (state.era, state.steps.count - 1))
        }
        // Not under the lock: a plan may look at the history, or have another one followed.
        guard let fault = plan(operation, number) else { return nil }
        state.withLock { state in
            if state.era == place.0 { state.steps[place.1] = Step(operation: operation, number: number, fault: fault) }
        }
        return fault
    }

    private func end(_ fault: Fault?) async throws(LedgerOutage) {
        switch fault {
        case .answerLost(let outage): throw outage
        // Whoever is cancelled meanwhile gets the answer at once.
        case .delay(let duration): try? await Task.sleep(for: duration)
        case .outage, nil: break
        }
    }
}

extension LedgerOutage {
    /// The outage of a ``FaultyLedger`` whose plan names no other.
    public static let planned = LedgerOutage(.unreachable, "nobody answers, as planned")
}
