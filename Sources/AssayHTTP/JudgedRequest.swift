public import AssayCore
import Synchronization

/// The result of verifying a request, for handlers.
public struct JudgedRequest: Sendable {
    private enum State {
        case known(RequestDecision)
        case streamed(StreamedOutcome)
        indirect case stated(RequestOutcome, [Verdict])
    }

    private let state: State

    /// The enforcement for the request: `reject`, `annotate` or `off`.
    public var enforcement: Enforcement {
        switch state {
        case .known(let decision): decision.enforcement
        case .streamed(let outcome): outcome.decision.enforcement
        case .stated(.off, _): .off
        case .stated(.pending, _): .reject
        // A handler meets other requests only under `annotate`.
        case .stated(let outcome, _): outcome.isAccepted ? .reject : .annotate
        }
    }
    /// The verdict, or the reason for having none. For a streamed body it is ``RequestOutcome/pending`` until the body
    /// has ended.
    public var outcome: RequestOutcome {
        switch state {
        case .known(let decision): decision.outcome
        case .streamed(let outcome): outcome.decision.outcome
        case .stated(let outcome, _): outcome
        }
    }
    /// The deciding verdict; nil without one.
    public var verdict: Verdict? { outcome.verdict }
    /// The accepting verdicts of a route that demands all of several kinds of evidence, in its order; otherwise ``verdict`` alone.
    public var verdicts: [Verdict] {
        switch state {
        case .known(let decision): decision.verdicts
        case .streamed(let outcome): outcome.decision.verdicts
        case .stated(_, let verdicts): verdicts
        }
    }
    /// Whether the evidence was verified and accepted.
    public var isAccepted: Bool { outcome.isAccepted }

    /// A result for tests of handlers.
    ///
    /// The enforcement follows: `off` for ``RequestOutcome/off``, `reject` for an accepted request or one that is pending, and `annotate`
    /// for others, because a handler does not see them under `reject`.
    ///
    /// - Parameter outcome: the verdict, such as `Verdict.stub(accepting:)` of AssayTesting, or the reason for having none.
    public init(_ outcome: RequestOutcome) { state = .stated(outcome, outcome.verdict.map { [$0] } ?? []) }

    /// A result for tests of handlers: of a route that demands several kinds of evidence. A rejecting verdict decides.
    public init(_ first: Verdict, _ more: Verdict...) {
        let verdicts = [first] + more
        let rejecting = verdicts.first { $0.outcome != .accept }
        state = .stated(.verdict(rejecting ?? first), rejecting.map { [$0] } ?? verdicts)
    }

    package init(_ decision: RequestDecision) { state = .known(decision) }

    package init(streamed outcome: StreamedOutcome) { state = .streamed(outcome) }
}

/// The outcome of a request whose body is streamed.
package final class StreamedOutcome: Sendable {
    private let held: Mutex<RequestDecision>

    /// Begins with a decision that is ``RequestOutcome/pending``.
    package init(_ decision: RequestDecision) { held = Mutex(decision) }

    /// ``RequestOutcome/pending`` until the body has ended.
    package var decision: RequestDecision { held.withLock { $0 } }

    package func set(_ decision: RequestDecision) { held.withLock { $0 = decision } }
}
