public import FoundationEssentials

/// What the pure part of a verification found: the results of the checks, and what an acceptance would change.
///
/// An assessment is not a verdict. Only ``Ledger/settle(_:at:)`` turns it into one, by committing the effects.
public struct Assessment: Sendable {
    /// The kind of evidence that was assessed.
    public let kind: EvidenceKind
    /// The name of the policy's app that it was held against.
    public let app: String
    /// The results in the declared order; those of ledger checks that a commit decides are not among them yet.
    public let checks: [CheckResult]
    /// The checks that the ledger decides, in their order.
    public let undecided: [CheckID]
    /// What the ledger must do, all together or not at all, for the evidence to be accepted: one effect for each
    /// undecided check, in the same order, and none when a check failed.
    public let effects: [LedgerEffect]
    /// What was learned from evidence whose authenticity is established. Without that it is nil, or holds only what the
    /// evidence claims, under names that say so, such as `claimedArc`: that proves nothing.
    public let subject: (any VerdictSubject)?
    /// The test authority that the evidence rests on, by subject name, and nil for the platform's own trust anchors.
    public let testAuthority: String?

    /// Whether no check failed. The ledger may still refuse.
    ///
    /// At least one check must have passed, and none may have been skipped because of another: an engine that skips
    /// without a failure has not judged.
    public let holds: Bool

    /// The first check that failed.
    let firstFailed: CheckID?

    private static func hold(_ checks: [CheckResult]) -> Bool {
        var hasPassed = false
        for index in checks.indices {
            switch checks[index].status {
            case .failed: return false
            case .passed: hasPassed = true
            case .annotated: break
            case .skipped: if case .check = checks[index].because { return false }
            }
        }
        return hasPassed
    }

    /// Collects the outcome of an assessment.
    ///
    /// - Parameters:
    ///   - undecided: the checks that the ledger decides.
    ///   - effects: the effects that decide them. They are dropped when a check failed.
    public init(
        kind: EvidenceKind, app: String, checks: [CheckResult], undecided: [CheckID], effects: [LedgerEffect],
        subject: (any VerdictSubject)?, testAuthority: String?
    ) {
        self.kind = kind
        self.app = app
        self.checks = checks
        self.undecided = undecided
        holds = Assessment.hold(checks)
        firstFailed = holds ? nil : checks.first { $0.status == .failed }?.check
        self.effects = holds ? effects : []
        self.subject = subject
        self.testAuthority = testAuthority
    }
}

/// What a verdict tells about the device, the app and the key, by engine.
public protocol VerdictSubject: Sendable {
    /// Every known fact as a named value, in the order in which a person would read them.
    var fields: [SubjectField] { get }
    /// The facts among them that the engine names in ``EvidenceEngine/dimensions``; others may be there as well.
    var dimensions: [SubjectField] { get }
    /// When the platform made what the verdict rests on, as far as the evidence says.
    var madeAt: Date? { get }
    /// The counter that the evidence presented.
    var presentedCounter: Int64? { get }
}

extension VerdictSubject {
    /// All facts. An engine whose verdicts come by the million gives only those that are asked for.
    public var dimensions: [SubjectField] { fields }
    /// Nothing is known.
    public var madeAt: Date? { nil }
    /// There is none.
    public var presentedCounter: Int64? { nil }
}

/// A fact of verdicts' subjects by which many verdicts are broken down: versions and labels, and never what is of one
/// device or request.
public struct SubjectDimension: Sendable, Equatable {
    /// The name of the field; see ``SubjectField/name``.
    public let name: String
    /// What people call it.
    public let title: String

    /// Names a fact.
    public init(_ name: String, _ title: String) {
        self.name = name
        self.title = title
    }
}

/// One fact of a verdict's subject.
public struct SubjectField: Sendable, Equatable {
    /// The value of a fact.
    public enum Value: Sendable, Equatable {
        /// Text. Binary values are standard base64 with padding, times RFC 3339.
        case text(String)
        /// Several texts, in their order.
        case texts([String])
        /// An integer.
        case integer(Int64)
        /// True or false.
        case flag(Bool)
    }

    /// The field's name in JSON, in camel case.
    public let name: String
    /// Its value.
    public let value: Value

    /// Names a fact.
    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}
