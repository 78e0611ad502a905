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
    private let modes: CheckModes

    /// Starts a run with the modes of the policy's checks, and room for the results of as many as there are.
    public init(modes: CheckModes, capacity: Int) {
        self.modes = modes
        results.reserveCapacity(capacity)
    }

    // What depends on the type of a value is left to the caller's module to compile, which knows the type.

    /// Runs a gate on which everything after it depends.
    @inlinable
    public mutating func authenticity<Value>(
        _ check: CheckID, _ body: () throws(CheckFailure) -> Value
    ) -> Value? {
        guard isReached(check) else { return nil }
        do throws(CheckFailure) {
            let value = try body()
            pass(check)
            return value
        } catch {
            fail(check, error.finding)
            breakOff(at: check)
            return nil
        }
    }

    /// Runs the decoding, on which everything after it depends.
    @inlinable
    public mutating func decode<Value>(_ check: CheckID, _ body: () throws(DecodeError) -> Value) -> Value? {
        guard isReached(check) else { return nil }
        do throws(DecodeError) {
            let value = try body()
            pass(check)
            return value
        } catch {
            fail(check, error)
            breakOff(at: check)
            return nil
        }
    }

    /// Runs a gate that nothing else depends on.
    @inlinable
    public mutating func gate<Value>(_ check: CheckID, _ body: () throws(CheckFailure) -> Value) -> Value? {
        guard isReached(check) else { return nil }
        do throws(CheckFailure) {
            let value = try body()
            pass(check)
            return value
        } catch {
            fail(check, error.finding)
            return nil
        }
    }

    /// Whether a gate is to run; it is skipped when it is not.
    @usableFromInline
    mutating func isReached(_ check: CheckID) -> Bool {
        guard let broken else {
            WantOfMemory.watch()
            return true
        }
        results.append(.skipped(check, because: .check(broken)))
        return false
    }

    @usableFromInline
    mutating func pass(_ check: CheckID) {
        results.append(.passed(check))
    }

    @usableFromInline
    mutating func fail(_ check: CheckID, _ finding: any CheckFinding) {
        results.append(.failed(check, WantOfMemory.isFelt ? WantOfMemory() : finding))
    }

    /// Everything from here on is skipped because of a check.
    @usableFromInline
    mutating func breakOff(at check: CheckID) {
        broken = check
    }

    /// Runs a policy check in the mode that the policy sets.
    public mutating func policy(_ check: CheckID, _ body: () throws(CheckFailure) -> PolicyAnswer) {
        let mode = modes[check]
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
        WantOfMemory.watch()
        do {
            switch try body() {
            case .holds: results.append(.passed(check))
            case .notApplicable(let finding): results.append(.skipped(check, because: .notApplicable, finding))
            case .notAsked: results.append(.skipped(check, because: .policy))
            case .remarked(let finding): results.append(.passed(check, finding))
            case .noted(let finding): results.append(.annotated(check, finding))
            }
        } catch {
            // Also what a policy only notes: an acceptance would rest on what nobody could tell.
            results.append(WantOfMemory.isFelt ? .failed(check, WantOfMemory()) : failing(check, error.finding))
        }
    }

    /// Says of the last check, which passed, what is worth knowing nonetheless.
    public mutating func remark(_ finding: any CheckFinding) {
        guard let index = results.indices.last, results[index].status == .passed else { return }
        results[index] = .passed(results[index].check, finding)
    }

    /// Puts a result with a remark in the place of that of the last check, which passed: one that is the same for all
    /// evidence and was made once.
    package mutating func remark(with result: CheckResult) {
        guard let index = results.indices.last, results[index].status == .passed else { return }
        results[index] = result
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
