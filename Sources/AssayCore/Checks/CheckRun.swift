/// What a policy check that ran may say instead of failing.
public enum PolicyAnswer: Sendable {
    /// The check holds.
    case holds
    /// The evidence cannot have what the check looks at.
    case notApplicable(any CheckFinding)
    /// The policy asks for nothing here.
    case notAsked
    /// The check holds, and there is something worth knowing nonetheless.
    case remarked(any CheckFinding)
    /// The policy lets something pass, on the condition that the verdict notes it.
    case noted(any CheckFinding)
}

/// Runs the checks of an assessment in their order and keeps the results.
///
/// Authenticity comes first: after a failed authenticity gate every later check is skipped because of it. The other
/// gates and the policy checks do not depend on each other, so that one verdict tells everything.
public struct CheckRun: ~Copyable {
    /// The results so far.
    public private(set) var results: [CheckResult] = []
    /// The authenticity gate that failed, and nil while all that ran hold.
    public private(set) var broken: CheckID?
    private let modes: [CheckID: CheckMode]

    /// Starts a run with the modes of the policy's checks; a check without one is enforced.
    public init(modes: [CheckID: CheckMode], capacity: Int) {
        self.modes = modes
        results.reserveCapacity(capacity)
    }

    /// Runs a gate on which everything after it depends.
    public mutating func authenticity<Value>(
        _ check: CheckID, _ body: () throws(CheckFailure) -> Value
    ) -> Value? {
        let value = gate(check, body)
        if value == nil, broken == nil { broken = check }
        return value
    }

    /// Runs the decoding, on which everything after it depends.
    public mutating func decode<Value>(_ check: CheckID, _ body: () throws(DecodeError) -> Value) -> Value? {
        authenticity(check) { () throws(CheckFailure) in
            do throws(DecodeError) { return try body() } catch { throw CheckFailure(error) }
        }
    }

    /// Runs a gate that nothing else depends on.
    public mutating func gate<Value>(_ check: CheckID, _ body: () throws(CheckFailure) -> Value) -> Value? {
        if let broken {
            results.append(.skipped(check, because: .check(broken)))
            return nil
        }
        do {
            let value = try body()
            results.append(.passed(check))
            return value
        } catch {
            results.append(.failed(check, error.finding))
            return nil
        }
    }

    /// Runs a policy check in the mode that the policy sets.
    public mutating func policy(_ check: CheckID, _ body: () throws(CheckFailure) -> PolicyAnswer) {
        let mode = modes[check] ?? .enforce
        if mode == .off {
            results.append(.skipped(check, because: .policy))
        } else if let broken {
            results.append(.skipped(check, because: .check(broken)))
        } else {
            record(check, failing: mode == .annotate ? CheckResult.annotated : CheckResult.failed, body)
        }
    }

    /// Runs a gate that looks at something that not all evidence has, and that nothing else depends on.
    public mutating func conditionalGate(
        _ check: CheckID, _ body: () throws(CheckFailure) -> PolicyAnswer
    ) {
        if let broken {
            results.append(.skipped(check, because: .check(broken)))
        } else {
            record(check, failing: CheckResult.failed, body)
        }
    }

    private mutating func record(
        _ check: CheckID, failing: (CheckID, any CheckFinding) -> CheckResult,
        _ body: () throws(CheckFailure) -> PolicyAnswer
    ) {
        do {
            switch try body() {
            case .holds: results.append(.passed(check))
            case .notApplicable(let finding): results.append(.skipped(check, because: .notApplicable, finding))
            case .notAsked: results.append(.skipped(check, because: .policy))
            case .remarked(let finding): results.append(.passed(check, finding))
            case .noted(let finding): results.append(.annotated(check, finding))
            }
        } catch {
            results.append(failing(check, error.finding))
        }
    }

    /// Says of the last check, which passed, what is worth knowing nonetheless.
    public mutating func remark(_ finding: any CheckFinding) {
        guard let last = results.last, last.status == .passed else { return }
        results[results.count - 1] = .passed(last.check, finding)
    }

    /// Skips checks because of the authenticity gate that failed.
    public mutating func skip(_ checks: [CheckID]) {
        guard let broken else { return }
        for check in checks { results.append(.skipped(check, because: .check(broken))) }
    }

    /// Adds a result that was found otherwise: of a ledger check that no commit needs to decide.
    public mutating func add(_ result: CheckResult) {
        results.append(result)
    }
}
