import AssayPrimitives
public import FoundationEssentials

/// A block or an allowance that an operator has set for a subject. A subject has one standing; a new one replaces it.
public enum LedgerStanding: Sendable, Equatable {
    /// It is blocked.
    case blocked(LedgerBlock)
    /// Failures of some policy checks are annotated for it.
    case allowed(LedgerAllowance)

    /// The two kinds.
    public enum Kind: String, Sendable {
        /// A block.
        case block
        /// An allowance.
        case allowance
    }

    /// The kind.
    public var kind: Kind { either({ _ in .block }, { _ in .allowance }) }

    /// The subject.
    public var subject: LedgerSubject { either(\.subject, \.subject) }

    /// When it ends; nil for never.
    public var until: Date? { either(\.until, \.until) }

    /// The block; nil for an allowance.
    public var block: LedgerBlock? { either({ $0 }, { _ in nil }) }

    /// The allowance; nil for a block.
    public var allowance: LedgerAllowance? { either({ _ in nil }, { $0 }) }

    /// Why, in the operator's words.
    public var reason: String { either(\.reason, \.reason) }

    /// When it was set.
    public var since: Date { either(\.since, \.since) }

    /// The operator who set it; nil if it names none.
    public var setBy: String? { either(\.setBy, \.setBy) }

    /// Whether it is in force at a time.
    public func isInForce(at now: Date) -> Bool { until.map { now < $0 } ?? true }

    package var sentence: String { either(\.sentence, \.sentence) }

    private func either<Value>(_ ofBlock: (LedgerBlock) -> Value, _ ofAllowance: (LedgerAllowance) -> Value) -> Value {
        switch self {
        case .blocked(let block): ofBlock(block)
        case .allowed(let allowance): ofAllowance(allowance)
        }
    }
}

/// A block on a subject.
public struct LedgerBlock: Sendable, Equatable {
    /// The subject.
    public let subject: LedgerSubject
    /// Why, in the operator's words.
    public let reason: String
    /// When it was blocked. For display only: clocks differ, and a block applies as soon as it is stored.
    public let since: Date
    /// When the block ends; nil for never.
    public let until: Date?
    /// The operator who set it; nil if it names none.
    public let setBy: String?

    /// Describes a block.
    public init(subject: LedgerSubject, reason: String, since: Date, until: Date?, setBy: String? = nil) {
        (self.subject, self.reason, self.since) = (subject, reason, since)
        (self.until, self.setBy) = (until, setBy)
    }

    /// Whether the block is in force at a time.
    public func isInForce(at now: Date) -> Bool { until.map { now < $0 } ?? true }

    /// One sentence for a verdict.
    package var sentence: String {
        let end = until.map { " until \(RFC3339.format($0))" } ?? ""
        return "the \(subject.kind.rawValue) has been blocked since \(RFC3339.format(since))\(end): \(reason)"
    }
}

/// An exception for a subject, such as a device for development or a penetration test: failures of some policy checks
/// are annotated instead of enforced. It never excuses a gate or a block: evidence that is not authentic stays
/// rejected.
public struct LedgerAllowance: Sendable, Equatable {
    /// The subject.
    public let subject: LedgerSubject
    /// Why, in the operator's words.
    public let reason: String
    /// When it was allowed: a block in force at this time stays. Otherwise for display only, as in ``LedgerBlock``.
    public let since: Date
    /// When the allowance ends; nil for never.
    public let until: Date?
    /// The policy checks that it excuses.
    public let checks: [CheckID]
    /// The operator who set it; nil if it names none.
    public let setBy: String?

    /// Describes an allowance.
    public init(
        subject: LedgerSubject, checks: [CheckID], reason: String, since: Date, until: Date?, setBy: String? = nil
    ) {
        (self.subject, self.checks, self.reason) = (subject, checks, reason)
        (self.since, self.until, self.setBy) = (since, until, setBy)
    }

    /// Whether the allowance is in force at a time.
    public func isInForce(at now: Date) -> Bool { until.map { now < $0 } ?? true }

    /// One sentence for a verdict.
    package var sentence: String {
        let end = until.map { " until \(RFC3339.format($0))" } ?? ""
        return "the \(subject.kind.rawValue) has been allowed since \(RFC3339.format(since))\(end): \(reason)"
    }
}
