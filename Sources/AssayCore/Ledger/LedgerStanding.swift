public import FoundationEssentials

/// What an operator has said of a subject. A subject has one standing at a time: the last word counts.
public enum LedgerStanding: Sendable, Equatable {
    /// It is blocked.
    case blocked(Block)
    /// It is let pass where policy would refuse it.
    case allowed(Allowance)

    /// Who it is about.
    public var subject: LedgerSubject {
        switch self {
        case .blocked(let block): block.subject
        case .allowed(let allowance): allowance.subject
        }
    }

    /// When it ends by itself, and nil for never.
    public var until: Date? {
        switch self {
        case .blocked(let block): block.until
        case .allowed(let allowance): allowance.until
        }
    }

    /// The block, and nil for an allowance.
    public var block: Block? {
        switch self {
        case .blocked(let block): block
        case .allowed: nil
        }
    }

    /// The allowance, and nil for a block.
    public var allowance: Allowance? {
        switch self {
        case .blocked: nil
        case .allowed(let allowance): allowance
        }
    }

    /// Whether it is in force at a time.
    public func isInForce(at now: Date) -> Bool {
        switch self {
        case .blocked(let block): block.isInForce(at: now)
        case .allowed(let allowance): allowance.isInForce(at: now)
        }
    }

    /// One sentence.
    public var sentence: String {
        switch self {
        case .blocked(let block): block.sentence
        case .allowed(let allowance): allowance.sentence
        }
    }
}

/// A block on a subject.
public struct Block: Sendable, Equatable {
    /// Who is blocked.
    public let subject: LedgerSubject
    /// Why, in the operator's words.
    public let reason: String
    /// When it was blocked. It is told and decides nothing: clocks disagree, and a block counts once it is there.
    public let since: Date
    /// When the block ends by itself, and nil for never.
    public let until: Date?

    /// Describes a block.
    public init(subject: LedgerSubject, reason: String, since: Date, until: Date?) {
        self.subject = subject
        self.reason = reason
        self.since = since
        self.until = until
    }

    /// Whether the block is in force at a time.
    public func isInForce(at now: Date) -> Bool { until.map { now < $0 } ?? true }

    /// One sentence for a verdict.
    public var sentence: String {
        let end = until.map { " until \(RFC3339.format($0))" } ?? ""
        return "the \(subject.kind.rawValue) has been blocked since \(RFC3339.format(since))\(end): \(reason)"
    }
}

/// Leave for a subject, such as a device for development or a penetration test: what policy would refuse of it is let
/// pass. It never opens a gate: evidence that is not authentic stays so.
public struct Allowance: Sendable, Equatable {
    /// Who is allowed.
    public let subject: LedgerSubject
    /// Why, in the operator's words.
    public let reason: String
    /// When it was allowed. It is told and decides nothing, as with a ``Block``.
    public let since: Date
    /// When the allowance ends by itself, and nil for never.
    public let until: Date?

    /// Describes an allowance.
    public init(subject: LedgerSubject, reason: String, since: Date, until: Date?) {
        self.subject = subject
        self.reason = reason
        self.since = since
        self.until = until
    }

    /// Whether the allowance is in force at a time.
    public func isInForce(at now: Date) -> Bool { until.map { now < $0 } ?? true }

    /// One sentence for a verdict.
    public var sentence: String {
        let end = until.map { " until \(RFC3339.format($0))" } ?? ""
        return "the \(subject.kind.rawValue) has been allowed since \(RFC3339.format(since))\(end): \(reason)"
    }
}
