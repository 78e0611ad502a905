/// The result of one check.
public struct CheckResult: Sendable {
    /// The outcome of a check.
    public enum Status: String, Sendable {
        /// The check holds.
        case passed
        /// The check does not hold, and the evidence is rejected.
        case failed
        /// The check does not hold, and the policy only notes it.
        case annotated
        /// The check did not run; ``CheckResult/because`` says why.
        case skipped
    }

    /// Why a check was skipped.
    @nonexhaustive
    public enum SkipReason: Sendable, Equatable, CustomStringConvertible {
        /// A check that it depends on did not hold.
        case check(CheckID)
        /// The policy does not require it.
        case policy
        /// The evidence cannot have the part that the check examines; the finding says why.
        case notApplicable

        /// The name of the check, `policy` or `not-applicable`.
        public var description: String {
            switch self {
            case .check(let id): id.name
            case .policy: "policy"
            case .notApplicable: "not-applicable"
            }
        }
    }

    /// The reason and the finding. Most results have neither; one enum keeps results small.
    private enum Remark: Sendable {
        case none
        case policy
        case switchedOff
        case leftToCaller
        case check(CheckID)
        indirect case finding(any CheckFinding)
        case notApplicable
        indirect case skipped(SkipReason, any CheckFinding)
    }

    /// The check.
    public let check: CheckID
    private let remark: Remark
    /// The outcome.
    public let status: Status

    /// Why the check failed or was annotated; additional information for other results.
    public var finding: (any CheckFinding)? {
        switch remark {
        case .none, .policy, .switchedOff, .leftToCaller, .notApplicable, .check: nil
        case .finding(let finding), .skipped(_, let finding): finding
        }
    }

    /// Why the check was skipped; nil for any other status.
    public var because: SkipReason? {
        switch remark {
        case .none, .finding: nil
        case .policy, .switchedOff, .leftToCaller: .policy
        case .check(let check): .check(check)
        case .notApplicable: .notApplicable
        case .skipped(let reason, _): reason
        }
    }

    /// Whether the finding has a code: `verdict.check(.appAttestAssertionCounter)?.has(.counterNotIncreasing)`.
    public func has(_ code: CheckCode) -> Bool { finding?.code == code.name }

    /// ``because`` in words. For `policy`, it also says how: the mode is off, or the policy leaves the check to the
    /// caller.
    package var reason: String? {
        switch remark {
        case .switchedOff: "policy: its mode is off"
        case .policy: "policy: no rule applies"
        case .leftToCaller: "policy: left to the caller"
        default: because?.description
        }
    }

    private init(_ check: CheckID, _ status: Status, _ remark: Remark) {
        (self.check, self.status, self.remark) = (check, status, remark)
    }

    /// The check holds.
    package static func passed(_ check: CheckID) -> CheckResult { CheckResult(check, .passed, .none) }

    /// The check holds, with additional information.
    package static func passed(_ check: CheckID, _ finding: (any CheckFinding)?) -> CheckResult {
        CheckResult(check, .passed, finding.map { .finding($0) } ?? .none)
    }

    /// The check does not hold.
    package static func failed(_ check: CheckID, _ finding: any CheckFinding) -> CheckResult {
        CheckResult(check, .failed, .finding(finding))
    }

    /// The check does not hold, and the policy only notes it.
    package static func annotated(_ check: CheckID, _ finding: any CheckFinding) -> CheckResult {
        CheckResult(check, .annotated, .finding(finding))
    }

    /// The check did not run.
    package static func skipped(_ check: CheckID, because reason: SkipReason) -> CheckResult {
        let remark: Remark =
            switch reason {
            case .policy: .policy
            case .check(let check): .check(check)
            case .notApplicable: .notApplicable
            }
        return CheckResult(check, .skipped, remark)
    }

    /// The check did not run, because its mode in the policy is `off`.
    package static func switchedOff(_ check: CheckID) -> CheckResult { CheckResult(check, .skipped, .switchedOff) }

    /// The check did not run, because the policy leaves it to the caller.
    package static func leftToCaller(_ check: CheckID) -> CheckResult { CheckResult(check, .skipped, .leftToCaller) }

    /// The check did not run, with additional information on the reason.
    package static func skipped(
        _ check: CheckID, because reason: SkipReason, _ finding: (any CheckFinding)?
    ) -> CheckResult {
        guard let finding else { return skipped(check, because: reason) }
        return CheckResult(check, .skipped, .skipped(reason, finding))
    }
}
