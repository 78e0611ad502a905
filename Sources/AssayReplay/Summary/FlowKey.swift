/// What one policy says of a record: the outcome, and the check or code that it is for.
public struct FlowEnd: Sendable, Equatable {
    /// What came of it.
    public let outcome: ReplayOutcome
    /// The first check that failed, or the code of the failure; empty when it is accepted.
    public let reason: String

    init(_ outcome: ReplayOutcome, _ reason: String) {
        self.outcome = outcome
        self.reason = reason
    }

    init(_ judgement: ReplayedRecord.Judgement) {
        self.init(judgement.outcome, judgement.reason)
    }

    var text: String { reason.isEmpty ? outcome.rawValue : "\(outcome.rawValue) \(reason)" }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard let first = parts.first, let outcome = ReplayOutcome(rawValue: String(first)) else { return nil }
        self.init(outcome, parts.count > 1 ? String(parts[1]) : "")
    }
}

/// What two policies say of a record, as the key of a table.
struct FlowKey: Equatable {
    let from: FlowEnd
    /// Nil when there is one policy.
    let to: FlowEnd?

    private static let separator = " > "

    var text: String { to.map { from.text + FlowKey.separator + $0.text } ?? from.text }
}

/// How many records go from one end to the other.
public struct ReplayFlow: Sendable, Equatable {
    /// What the policy says.
    public let from: FlowEnd
    /// What the policy that it is compared with says.
    public let to: FlowEnd
    /// The records.
    public let count: Int
}

extension FlowKey {
    /// Reads what ``text`` writes. Nil when there are not two ends.
    init?(_ text: String) {
        let parts = text.split(separator: FlowKey.separator, maxSplits: 1)
        guard parts.count == 2, let from = FlowEnd(parts[0]), let to = FlowEnd(parts[1]) else { return nil }
        self.init(from: from, to: to)
    }
}
