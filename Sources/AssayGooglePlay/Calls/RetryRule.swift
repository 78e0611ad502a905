import AssayCore
import FoundationEssentials
import PlayIntegrity

/// How often and how soon a call is tried again.
///
/// Exponential backoff with full jitter: the wait before attempt n + 1 is evenly distributed from 0 to `base` times 2^(n-1),
/// at most `cap`, so that clients that failed together do not come back together. What `Retry-After` demands is waited
/// at least.
struct RetryRule: Sendable {
    let attempts: Int
    let base: Duration
    let cap: Duration
    let time: ClientTime

    /// Tries until there is an answer, attempts are used up, or the deadline would pass.
    ///
    /// - Parameters:
    ///   - deadline: when there must be an answer, in ``ClientTime/uptime``.
    ///   - attempt: one attempt, with the time that is left.
    func run<Value: Sendable>(
        until deadline: Duration, _ attempt: (Duration) async -> AttemptResult<Value>
    ) async throws(CallFailure) -> Value {
        var number = 1
        var last: CallFailure?
        while true {
            let left = deadline - time.uptime()
            guard left > .zero else {
                throw last ?? CallFailure(.nobody, .timeout, "the deadline of the call passed before anything was sent")
            }
            switch await attempt(left) {
            case .done(let value): return value
            case .stop(let failure): throw failure
            case .again(let failure, let demanded):
                guard number < attempts else { throw failure.told(effort(number), retryAfter: demanded, time) }
                let wait = max(backoff(after: number), demanded ?? .zero)
                guard time.uptime() + wait < deadline else {
                    throw failure.told("\(effort(number)), and no time for another", retryAfter: demanded, time)
                }
                do { try await time.sleep(wait) } catch { throw .cancelled }
                number += 1
                last = failure
            }
        }
    }

    private func effort(_ attempts: Int) -> String { attempts == 1 ? "one attempt" : "\(attempts) attempts" }

    private func backoff(after attempt: Int) -> Duration {
        var longest = min(base, cap)
        for _ in 1..<attempt where longest < cap { longest = min(longest * 2, cap) }
        return longest * time.random()
    }
}

extension CallFailure {
    fileprivate func told(_ effort: String, retryAfter: Duration?, _ time: ClientTime) -> CallFailure {
        let retryAt = retryAfter.map { time.now().addingTimeInterval($0.inSeconds) }
        let demand = retryAfter.map { "; the server wants no request for \($0.inWords)" } ?? ""
        return CallFailure(
            side,
            IntegrityDecoderOutage(
                outage.code, "\(outage.message) (\(effort)\(demand))", retryAt: retryAt ?? outage.retryAt))
    }
}
