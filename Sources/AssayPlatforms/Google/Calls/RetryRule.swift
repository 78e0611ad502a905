import AssayCore
import FoundationEssentials
import PlayIntegrity

/// A call or attempt without an answer: the outage for the caller, and the side at fault.
struct CallFailure: Error, Sendable {
    let outage: IntegrityDecoderOutage
    /// The side at fault.
    let side: FailureSide

    init(_ side: FailureSide, _ outage: IntegrityDecoderOutage) {
        self.side = side
        self.outage = outage
    }

    init(_ side: FailureSide, _ code: OutageCode, _ message: String) {
        self.init(side, IntegrityDecoderOutage(code, message))
    }

    init(_ circuit: OpenCircuit) {
        self.init(
            .unknown,
            IntegrityDecoderOutage(
                .circuitOpen, circuit.message(ofServersOf: "Google"), retryAt: circuit.until))
    }

    init(_ failure: HTTPFailure, of server: String? = nil) {
        let (code, message) = failure.outage(of: server)
        self.init(failure.side, code, message)
    }

    static let cancelled = CallFailure(.cancelled)
    static let shutDown = CallFailure(.shutDown)

    static let answerLost = CallFailure(
        .client, .answerLost,
        "an earlier answer on this token was lost, and the token now comes without verdicts, as tokens do that were decoded "
            + "before; let the app ask for a new one")

    /// Classifies a failed exchange, and decides whether to retry; `server` is a name for messages.
    static func of<Value>(_ failure: HTTPFailure, server: String) -> AttemptResult<Value> {
        switch failure {
        case .notConnected, .unanswered: .again(CallFailure(failure, of: server))
        // Do not retry a cut answer: the server may have decoded the token, which Google does only once.
        case .cut, .cancelled, .shutDown: .stop(CallFailure(failure, of: server))
        }
    }
}

/// The result of one attempt.
enum AttemptResult<Value: Sendable>: Sendable {
    case done(Value)
    /// No answer; retry, not before the time in `Retry-After`.
    case again(CallFailure, after: Duration? = nil)
    /// No answer; do not retry.
    case stop(CallFailure)
}

/// Retries calls with exponential backoff and full jitter: the wait before attempt n + 1 is uniform in 0 to
/// `base` * 2^(n-1), at most `cap`, but at least the time in `Retry-After`.
struct RetryRule: Sendable {
    let attempts: Int
    let base: Duration
    let cap: Duration
    let time: ClientTime

    /// Retries until there is an answer, or until attempts or time are used up. The deadline is in ``ClientTime/uptime``; each attempt
    /// gets the time that is left.
    func run<Value: Sendable>(
        until deadline: Duration, _ attempt: (Duration) async -> AttemptResult<Value>
    ) async throws(CallFailure) -> Value {
        var number = 1
        var last: CallFailure?
        while true {
            let left = deadline - time.uptime()
            guard left > .zero else {
                throw last
                    ?? CallFailure(.unknown, .timeout, "the deadline of the call passed before anything was sent")
            }
            switch await attempt(left) {
            case .done(let value): return value
            case .stop(let failure): throw failure
            case .again(let failure, let demanded):
                guard number < attempts else { throw failure.describing(effort(number), retryAfter: demanded, time) }
                let wait = max(base.doubled(after: number, atMost: cap) * time.random(), demanded ?? .zero)
                guard time.uptime() + wait < deadline else {
                    throw failure.describing("\(effort(number)), and no time for another", retryAfter: demanded, time)
                }
                do { try await time.sleep(wait) } catch { throw .cancelled }
                number += 1
                last = failure
            }
        }
    }

    private func effort(_ attempts: Int) -> String { attempts == 1 ? "one attempt" : "\(attempts) attempts" }
}

extension CallFailure {
    fileprivate func describing(_ effort: String, retryAfter: Duration?, _ time: ClientTime) -> CallFailure {
        let retryAt = retryAfter.map { time.now().addingTimeInterval($0.inSeconds) }
        let demand = retryAfter.map { "; the server wants no request for \($0.inWords)" } ?? ""
        return CallFailure(
            side,
            IntegrityDecoderOutage(
                outage.code, "\(outage.message) (\(effort)\(demand))", retryAt: retryAt ?? outage.retryAt))
    }
}
