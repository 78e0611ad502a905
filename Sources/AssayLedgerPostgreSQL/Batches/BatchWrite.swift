import AssayCore
import FoundationEssentials

/// A write that shares a transaction with others.
enum BatchWrite: Sendable {
    case issue(IssuedChallenge)
    case commit([LedgerEffect])
    /// A transaction that changes nothing but the writer's row.
    case prove

    /// The effects; none for a new challenge.
    var effects: [LedgerEffect] {
        switch self {
        case .issue, .prove: []
        case .commit(let effects): effects
        }
    }
}

/// The result of a write.
enum BatchAnswer: Sendable {
    /// Whether the challenge is new.
    case issued(Bool)
    /// All effects are applied, without a note. The caller makes the outcome: memory that one thread allocates and another frees
    /// takes longer.
    case applied
    /// Effects are refused, or there is a note.
    case decided(CommitOutcome)
    /// The transaction is to be committed.
    case proved

    var isChange: Bool {
        switch self {
        case .issued(let isNew): isNew
        case .proved: false
        case .applied: true
        case .decided(let outcome): outcome.isApplied
        }
    }
}

/// A write that waits for its answer.
@safe struct PendingWrite: Sendable {
    let write: BatchWrite
    /// The time of the decision.
    let now: Date
    /// When the caller gets an answer at the latest, unless a COMMIT was sent.
    let deadline: ContinuousClock.Instant
    fileprivate let answer: UnsafeContinuation<Result<BatchAnswer, LedgerOutage>, Never>

    /// Describes a write, which must be answered once.
    @unsafe init(
        write: BatchWrite, now: Date, deadline: ContinuousClock.Instant,
        answer: UnsafeContinuation<Result<BatchAnswer, LedgerOutage>, Never>
    ) {
        self.write = write
        self.now = now
        self.deadline = deadline
        unsafe self.answer = answer
    }
}

extension [PendingWrite] {
    /// Answers the caller of a write. Not a function of the write, which would be copied for it.
    func answer(_ index: Int, _ result: Result<BatchAnswer, LedgerOutage>) {
        unsafe self[index].answer.resume(returning: result)
    }
}
