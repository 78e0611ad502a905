/// The outcome of one record under one policy.
package enum ReplayOutcome: String, Sendable, CaseIterable {
    /// The verdict accepts the record.
    case accepted
    /// The verdict rejects the record.
    case rejected
    /// There is no verdict: the record is unreadable, or no policy applies.
    case failed

    /// The outcome in messages.
    package var word: String { self == .failed ? "not judged" : rawValue }
}

/// Counts of outcomes, and of records whose acceptance differs under the second policy.
package struct OutcomeTally: Sendable, Equatable {
    /// Accepted records.
    package private(set) var accepted = 0
    /// Rejected records.
    package private(set) var rejected = 0
    /// Records without a verdict.
    package private(set) var failed = 0
    /// Records that only the first policy accepts.
    package private(set) var lost = 0
    /// Records that only the second policy accepts.
    package private(set) var gained = 0

    /// All records.
    package var total: Int { accepted + rejected + failed }
    /// Records that exactly one of the two policies accepts.
    package var changed: Int { lost + gained }

    mutating func add(_ outcome: ReplayOutcome, against: ReplayOutcome?) {
        switch outcome {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .failed: failed += 1
        }
        guard let against, (outcome == .accepted) != (against == .accepted) else { return }
        if outcome == .accepted { lost += 1 } else { gained += 1 }
    }

    mutating func add(_ other: OutcomeTally) {
        accepted += other.accepted
        rejected += other.rejected
        failed += other.failed
        lost += other.lost
        gained += other.gained
    }
}

/// How often one check failed.
package struct CheckTally: Sendable {
    /// The number of rejections with this check as the first failed one.
    package var first = 0
    /// The number of verdicts in which it failed.
    package var failed = 0
    /// The number of verdicts in which it failed and the policy only annotates it.
    package var annotated = 0
}

/// What one policy decided about a record.
package struct FlowEnd: Sendable, Hashable {
    /// The outcome.
    package let outcome: ReplayOutcome
    /// The first failed check, or the code of the failure; empty for an accepted record.
    package let reason: String

    init(_ judgement: ReplayedRecord.Judgement) {
        outcome = judgement.outcome
        reason = judgement.reason
    }
}

/// What both policies decided about a record.
package struct ReplayFlow: Sendable, Hashable {
    /// The decision of the first policy.
    package let from: FlowEnd
    /// The decision of the second policy.
    package let to: FlowEnd

    /// Whether exactly one of the two accepts the record.
    package var isChange: Bool { (from.outcome == .accepted) != (to.outcome == .accepted) }
}
