public import AssayCore
public import FoundationEssentials
import Synchronization

/// A ledger that fails by plan, to test how a service handles ledger faults.
///
/// ```swift
/// // The second commit is applied, and its answer is lost.
/// let ledger = FaultyLedger(MemoryLedger()) { operation, number in
///     operation == .commit && number == 2 ? .answerLost() : nil
/// }
/// ```
///
/// It forwards operations without a fault to its base ledger, and has the operations for operators if the base ledger has them.
public final class FaultyLedger<Base: Ledger>: Ledger {
    /// Chooses the fault of an operation by its number among those of its kind, from 1.
    public typealias Plan = @Sendable (_ operation: LedgerOperation, _ number: Int) -> LedgerFault?

    /// The durability of commits, as given to the initializer.
    public let durability: LedgerDurability
    /// As the base ledger says, unless given to the initializer.
    public let isDurabilityWaived: Bool
    let base: Base
    private let state: Mutex<State>

    private struct State {
        var plan: Plan
        /// The number of earlier plans.
        var planNumber = 0
        var steps: [LedgerOperation.Step] = []
        var counts: [LedgerOperation: Int] = [:]
    }

    /// Wraps a ledger with a plan of faults.
    ///
    /// - Parameters:
    ///   - base: The ledger that stores the entries.
    ///   - durability: The durability that this ledger states; nil for that of `base`.
    ///   - isDurabilityWaived: Whether this ledger may forget what it has committed; nil for what `base` says.
    ///   - plan: The fault of each operation; nil for none.
    public init(
        _ base: Base = MemoryLedger(), durability: LedgerDurability? = nil,
        isDurabilityWaived: Bool? = nil,
        plan: @escaping Plan = { _, _ in nil }
    ) {
        self.base = base
        self.durability = durability ?? base.durability
        self.isDurabilityWaived = isDurabilityWaived ?? base.isDurabilityWaived
        state = Mutex(State(plan: plan))
    }

    /// All operations in order.
    package var history: [LedgerOperation.Step] { state.withLock { $0.steps } }

    /// Replaces the plan, restarts the numbers at 1, and clears the history.
    public func follow(_ plan: @escaping Plan) {
        state.withLock { $0 = State(plan: plan, planNumber: $0.planNumber + 1) }
    }

    /// Replaces the plan with one that has no faults.
    public func recover() { follow { _, _ in nil } }

    /// False: if true, engines would skip the standings, and no fault could occur there.
    public var isWithoutStandings: Bool { false }

    /// Issues a challenge, unless the plan has a fault.
    public func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        try await perform(.issue) { (base) throws(LedgerOutage) in try await base.issue(challenge, at: now) }
    }

    /// The enrolled key, unless the plan has a fault.
    public func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await perform(.enrolledKey) { (base) throws(LedgerOutage) in try await base.enrolledKey(identifier) }
    }

    /// The standings of subjects, unless the plan has a fault.
    public func standings(
        of subjects: [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> [LedgerStanding] {
        try await perform(.standings) { (base) throws(LedgerOutage) in
            try await base.standings(of: subjects, at: now)
        }
    }

    /// Applies effects, unless the plan has a fault.
    public func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        try await perform(.commit) { (base) throws(LedgerOutage) in try await base.commit(effects, at: now) }
    }

    /// Closes the base ledger.
    public func close() async throws(LedgerOutage) { try await base.close() }

    func perform<Answer>(
        _ operation: LedgerOperation, _ body: (Base) async throws(LedgerOutage) -> Answer
    ) async throws(LedgerOutage) -> Answer {
        let fault = note(operation)
        if case .outage(let outage) = fault { throw outage }
        let answer = try await body(base)
        try await end(fault)
        return answer
    }

    func note(_ operation: LedgerOperation) -> LedgerFault? {
        let (plan, number, place) = state.withLock { state in
            let number = state.counts[operation, default: 0] + 1
            state.counts[operation] = number
            state.steps.append(LedgerOperation.Step(operation: operation, number: number, fault: nil))
            return (state.plan, number, (state.planNumber, state.steps.count - 1))
        }
        // Call the plan outside the lock: it may read the history or replace the plan.
        guard let fault = plan(operation, number) else { return nil }
        state.withLock { state in
            if state.planNumber == place.0 {
                state.steps[place.1] = LedgerOperation.Step(operation: operation, number: number, fault: fault)
            }
        }
        return fault
    }

    func end(_ fault: LedgerFault?) async throws(LedgerOutage) {
        switch fault {
        case .answerLost(let outage): throw outage
        // Ignore cancellation: a cancelled caller gets the answer at once.
        case .delay(let duration): try? await Task.sleep(for: duration)
        case .outage, nil: break
        }
    }
}

extension FaultyLedger where Base == MemoryLedger {
    /// An unreachable ledger: every operation fails with an outage.
    public static func unreachable(_ outage: LedgerOutage = .planned) -> FaultyLedger {
        FaultyLedger(durability: .durable) { _, _ in .outage(outage) }
    }
}
