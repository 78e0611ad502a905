/// How one check came out.
public struct CheckResult: Sendable {
    /// The outcome of a check.
    public enum Status: String, Sendable {
        /// The check holds.
        case passed
        /// The check does not hold, and the evidence is rejected for it.
        case failed
        /// The check does not hold, and the policy only notes it.
        case annotated
        /// The check did not run; ``CheckResult/because`` says why.
        case skipped
    }

    /// Why a check was skipped.
    public enum SkipReason: Sendable, Equatable, CustomStringConvertible {
        /// A check that it depends on did not hold.
        case check(CheckID)
        /// The policy does not ask for it.
        case policy
        /// The evidence cannot have what the check looks at; the finding says why.
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

    /// The check.
    public let check: CheckID
    /// How it came out.
    public let status: Status
    /// Why it failed or was annotated; for other results, what is worth knowing.
    public let finding: (any CheckFinding)?
    /// Why it was skipped, and nil for any other status.
    public let because: SkipReason?

    private init(check: CheckID, status: Status, finding: (any CheckFinding)?, because: SkipReason?) {
        self.check = check
        self.status = status
        self.finding = finding
        self.because = because
    }

    /// The check holds.
    public static func passed(_ check: CheckID, _ finding: (any CheckFinding)? = nil) -> CheckResult {
        CheckResult(check: check, status: .passed, finding: finding, because: nil)
    }

    /// The check does not hold.
    public static func failed(_ check: CheckID, _ finding: any CheckFinding) -> CheckResult {
        CheckResult(check: check, status: .failed, finding: finding, because: nil)
    }

    /// The check does not hold, and the policy only notes it.
    public static func annotated(_ check: CheckID, _ finding: any CheckFinding) -> CheckResult {
        CheckResult(check: check, status: .annotated, finding: finding, because: nil)
    }

    /// The check did not run.
    public static func skipped(
        _ check: CheckID, because reason: SkipReason, _ finding: (any CheckFinding)? = nil
    ) -> CheckResult {
        CheckResult(check: check, status: .skipped, finding: finding, because: reason)
    }
}
