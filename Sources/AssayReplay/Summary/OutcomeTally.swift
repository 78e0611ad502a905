/// Something that is counted, and whose counts from several parts of a corpus can be put together.
///
/// Merging is commutative and associative: the parts of a corpus, in whatever order and grouping, give the same as the
/// whole.
protocol Mergeable: Sendable {
    /// Nothing counted yet.
    init()
    /// Adds what another one counted.
    mutating func merge(_ other: Self)
}

extension Int {
    /// Adds a count. Ends at the greatest number there is, which no corpus reaches and a forged summary may.
    mutating func count(_ other: Int) {
        let (sum, isOverflown) = addingReportingOverflow(other)
        self = isOverflown ? .max : sum
    }
}

/// A plain count.
struct Count: Mergeable, Equatable {
    var number = 0

    init() {}

    init(_ number: Int) {
        self.number = number
    }

    mutating func merge(_ other: Count) { number.count(other.number) }
}

/// How many records came out how, and how many change sides under the policy that they are compared with.
public struct OutcomeTally: Sendable, Equatable, Mergeable {
    /// Accepted ones.
    public internal(set) var accepted = 0
    /// Rejected ones.
    public internal(set) var rejected = 0
    /// Those that could not be judged.
    public internal(set) var failed = 0
    /// Those that the policy accepts and the other does not.
    public internal(set) var lost = 0
    /// Those that the other policy accepts and this one does not.
    public internal(set) var gained = 0

    /// Nothing counted.
    public init() {}

    /// All of them.
    public var total: Int {
        var sum = accepted
        sum.count(rejected)
        sum.count(failed)
        return sum
    }

    /// Counts one record.
    mutating func add(_ outcome: ReplayOutcome, against: ReplayOutcome?) {
        switch outcome {
        case .accepted: accepted.count(1)
        case .rejected: rejected.count(1)
        case .failed: failed.count(1)
        }
        guard let against, (outcome == .accepted) != (against == .accepted) else { return }
        if outcome == .accepted { lost.count(1) } else { gained.count(1) }
    }

    /// Adds what another one counted.
    mutating func merge(_ other: OutcomeTally) {
        accepted.count(other.accepted)
        rejected.count(other.rejected)
        failed.count(other.failed)
        lost.count(other.lost)
        gained.count(other.gained)
    }
}

/// What came of one record under one policy, in a word.
public enum ReplayOutcome: String, Sendable, CaseIterable {
    /// Accepted.
    case accepted
    /// Rejected.
    case rejected
    /// Not judged: it cannot be read, or no policy applies.
    case failed
}

/// How often a check did not hold.
public struct CheckTally: Sendable, Equatable, Mergeable {
    /// The records of which it is the first check that failed.
    public internal(set) var first = 0
    /// The records in which it failed.
    public internal(set) var failed = 0
    /// The records in which the policy only notes that it does not hold.
    public internal(set) var annotated = 0
    /// The records of which it is the first check that failed under the policy that they are compared with.
    public internal(set) var firstAgainst = 0

    /// Nothing counted.
    public init() {}

    /// Adds what another one counted.
    mutating func merge(_ other: CheckTally) {
        first.count(other.first)
        failed.count(other.failed)
        annotated.count(other.annotated)
        firstAgainst.count(other.firstAgainst)
    }
}
