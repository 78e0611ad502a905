import AssayPrimitives

/// The result of a check function that did not throw.
@usableFromInline
package enum PolicyAnswer: Sendable {
    /// The check passes.
    case passed
    /// The evidence cannot contain what the check examines.
    case notApplicable(any CheckFinding)
    /// The policy requires nothing.
    case notRequired
    /// The policy requires nothing. The verdict reports the finding.
    case notRequiredWithRemark(any CheckFinding)
    /// The check passes. The verdict reports the finding.
    case passedWithRemark(any CheckFinding)
    /// The policy tolerates the finding if the verdict reports it.
    case annotated(any CheckFinding)
}

/// Runs the checks of an assessment in order and collects the results. A failed authenticity gate skips every later
/// check. All other checks run independently: one verdict reports every failure.
// Usable from inline: without that, the functions that are inlinable would be called, with the types of their values at run time.
@usableFromInline
package struct CheckRun: ~Copyable {
    /// The results so far.
    package private(set) var results: [CheckResult] = []
    /// The authenticity gate that failed; nil while all of them pass.
    package private(set) var failedAuthenticity: CheckID?
    /// The blocks that the checks found absent, in their order.
    package private(set) var confirmations: [StandingConfirmation] = []
    /// The modes of the policy's checks.
    package var modes: CheckModes
    /// The allowances in force for the subjects of the evidence. A failure of a policy check that they name is annotated.
    private var allowances: [LedgerAllowance] = []

    /// Starts a run with the modes of the app's policy, or with `.strict` while the app of the evidence is unknown.
    package init(modes: CheckModes, capacity: Int) {
        self.modes = modes
        results.reserveCapacity(capacity)
    }

    /// Notes the allowances among the standings of the subjects of the evidence, for the policy checks that follow.
    package mutating func allow(_ standings: [LedgerStanding]) {
        if !standings.isEmpty { allowances += standings.compactMap(\.allowance) }
    }

    // Inlinable: lets the calling module specialise the generic functions. A rule gives a Sendable value, which a closure is
    // not: one whose errors are not typed would else be a value, and pass without being called.

    /// Runs a gate that every later check depends on.
    @inlinable
    @_disfavoredOverload
    package mutating func authenticity<Value: Sendable>(
        _ check: CheckID, _ rule: @autoclosure () throws(CheckFailure) -> Value
    ) -> Value? {
        authenticity(check, rule)
    }

    /// The same for a rule of several statements.
    @inlinable
    package mutating func authenticity<Value>(
        _ check: CheckID, _ body: () throws(CheckFailure) -> Value
    ) -> Value? {
        guard isReached(check) else { return nil }
        do throws(CheckFailure) {
            let value = try body()
            pass(check)
            return value
        } catch {
            fail(check, error.finding)
            skipRest(after: check)
            return nil
        }
    }

    /// Runs the decoding, which every later check depends on.
    @inlinable
    package mutating func decode<Value>(_ check: CheckID, _ body: () throws(DecodeError) -> Value) -> Value? {
        guard isReached(check) else { return nil }
        do throws(DecodeError) {
            let value = try body()
            pass(check)
            return value
        } catch {
            fail(check, error)
            skipRest(after: check)
            return nil
        }
    }

    /// Runs a gate that no other check depends on.
    @inlinable
    @_disfavoredOverload
    package mutating func gate<Value: Sendable>(
        _ check: CheckID, _ rule: @autoclosure () throws(CheckFailure) -> Value
    ) -> Value? {
        gate(check, rule)
    }

    /// The same for a rule of several statements.
    @inlinable
    package mutating func gate<Value>(
        _ check: CheckID, _ body: () throws(CheckFailure) -> Value
    ) -> Value? {
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

    /// Whether a gate must run; records it as skipped if not.
    @usableFromInline
    mutating func isReached(_ check: CheckID) -> Bool {
        guard let failedAuthenticity else {
            AllocationFailure.startWatching()
            return true
        }
        results.append(.skipped(check, because: .check(failedAuthenticity)))
        return false
    }

    @usableFromInline
    mutating func pass(_ check: CheckID) {
        results.append(.passed(check))
    }

    @usableFromInline
    mutating func fail(_ check: CheckID, _ finding: any CheckFinding) {
        results.append(.failed(check, AllocationFailure.occurred ? AllocationFailure() : finding))
    }

    /// Makes every later check depend on a failed gate.
    @usableFromInline
    mutating func skipRest(after check: CheckID) {
        failedAuthenticity = check
    }

    /// Runs a policy check in the mode that the policy sets.
    @inlinable
    @_disfavoredOverload
    package mutating func policy(
        _ check: CheckID, _ rule: @autoclosure () throws(CheckFailure) -> PolicyAnswer
    ) {
        policy(check, rule)
    }

    /// The same for a rule of several statements.
    @usableFromInline
    package mutating func policy(
        _ check: CheckID, _ body: () throws(CheckFailure) -> PolicyAnswer
    ) {
        let mode = modes[check]
        if mode == .off {
            results.append(.switchedOff(check))
        } else if let failedAuthenticity {
            results.append(.skipped(check, because: .check(failedAuthenticity)))
        } else {
            record(check, excusing: true, failing: mode == .annotate ? CheckResult.annotated : CheckResult.failed, body)
        }
    }

    /// Runs a gate for a part that not all evidence has. No other check depends on it.
    @inlinable
    @_disfavoredOverload
    package mutating func conditionalGate(
        _ check: CheckID, _ rule: @autoclosure () throws(CheckFailure) -> PolicyAnswer
    ) {
        conditionalGate(check, rule)
    }

    /// The same for a rule of several statements.
    @usableFromInline
    package mutating func conditionalGate(
        _ check: CheckID, _ body: () throws(CheckFailure) -> PolicyAnswer
    ) {
        if let failedAuthenticity {
            results.append(.skipped(check, because: .check(failedAuthenticity)))
        } else {
            record(check, excusing: false, failing: CheckResult.failed, body)
        }
    }

    private mutating func record(
        _ check: CheckID, excusing: Bool, failing: (CheckID, any CheckFinding) -> CheckResult,
        _ body: () throws(CheckFailure) -> PolicyAnswer
    ) {
        AllocationFailure.startWatching()
        do {
            switch try body() {
            case .passed: results.append(.passed(check))
            case .notApplicable(let finding): results.append(.skipped(check, because: .notApplicable, finding))
            case .notRequired: results.append(.skipped(check, because: .policy))
            case .notRequiredWithRemark(let finding): results.append(.skipped(check, because: .policy, finding))
            case .passedWithRemark(let finding): results.append(.passed(check, finding))
            case .annotated(let finding): results.append(.annotated(check, finding))
            }
        } catch {
            // In the mode `annotate` too: a check that ran out of memory has no result to annotate.
            if AllocationFailure.occurred {
                results.append(.failed(check, AllocationFailure()))
            } else if excusing, !error.isBlock, let allowance = allowances.first(where: { $0.checks.contains(check) }) {
                results.append(.annotated(check, ExcusedFinding(finding: error.finding, allowance: allowance)))
            } else {
                results.append(failing(check, error.finding))
            }
        }
    }

    /// Demands that the subject is still not blocked when the ledger commits. Call it behind the check that found no block.
    ///
    /// - Parameters:
    ///   - subject: nil if the evidence has no such subject.
    ///   - code: the code of the check for a block.
    package mutating func confirm(_ subject: LedgerSubject?, _ code: CheckCode) {
        guard let subject, failedAuthenticity == nil, let last = results.last, last.status != .failed else { return }
        // What the policy does not enforce rejects nothing later either.
        guard modes[last.check] == .enforce else { return }
        confirmations.append(StandingConfirmation(check: last.check, subject: subject, code: code))
    }

    /// Demands that the account is still not blocked when the ledger commits. Call it behind the check of the account.
    package mutating func confirm(_ account: AccountStandings) { confirm(account.subject, .accountBlocked) }

    /// Adds a finding to the last result, if that check passed.
    package mutating func remark(_ finding: any CheckFinding) {
        guard let index = results.indices.last, results[index].status == .passed else { return }
        results[index] = .passed(results[index].check, finding)
    }

    /// Replaces the last result, if that check passed. The caller can share one result among all verdicts.
    package mutating func remark(with result: CheckResult) {
        guard let index = results.indices.last, results[index].status == .passed else { return }
        results[index] = result
    }

    /// If a check has failed, makes every later check depend on the first failed one. Use it before checks that call
    /// another service.
    package mutating func endIfFailed() {
        guard failedAuthenticity == nil else { return }
        failedAuthenticity = results.first { $0.status == .failed }?.check
    }

    /// Skips checks because of the authenticity gate that failed.
    package mutating func skip(_ checks: [CheckID]) {
        guard let failedAuthenticity else { return }
        for check in checks { results.append(.skipped(check, because: .check(failedAuthenticity))) }
    }

    /// Adds a result that was decided elsewhere, such as a ledger check that needs no commit.
    package mutating func add(_ result: CheckResult) {
        results.append(result)
    }
}

/// The failure of a policy check that an allowance excuses.
struct ExcusedFinding: CheckFinding {
    let finding: any CheckFinding
    let allowance: LedgerAllowance

    /// The code of the failure.
    var code: String { finding.code }
    var detail: String { "\(finding.detail); \(allowance.sentence)" }
}
