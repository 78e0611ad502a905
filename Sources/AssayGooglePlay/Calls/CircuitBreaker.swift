import AssayCore
import AssayHTTPClient
package import FoundationEssentials
import PlayIntegrity
import Synchronization

/// The state of a circuit breaker.
package enum CircuitState: Sendable, Equatable {
    /// All calls are sent.
    case closed
    /// No call is sent until the given time.
    case open(until: Date)
    /// One call is sent as a probe; others are not.
    case halfOpen
}

/// Stops calls for a while after consecutive server failures.
///
/// A ticket holds the generation in which its call started. The result counts only in that generation.
final class CircuitBreaker: Sendable {
    /// Permission for one call. Settle it exactly once.
    struct Ticket: Sendable {
        fileprivate let generation: Int
    }

    private enum Phase {
        case closed(failures: Int)
        case open(until: Duration)
        case probing
    }

    private struct State {
        var phase = Phase.closed(failures: 0)
        var generation = 0

        mutating func enter(_ phase: Phase) {
            self.phase = phase
            generation += 1
        }
    }

    private let threshold: Int
    private let pause: Duration
    private let time: ClientTime
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threshold: the number of consecutive failures that opens the circuit.
    ///   - pause: how long the circuit stays open before a probe.
    init(threshold: Int, pause: Duration, time: ClientTime) {
        self.threshold = threshold
        self.pause = pause
        self.time = time
    }

    /// The current state.
    var current: CircuitState {
        let uptime = time.uptime()
        return state.withLock { state in
            switch state.phase {
            case .closed: .closed
            case .open(let until): .open(until: date(until, from: uptime))
            case .probing: .halfOpen
            }
        }
    }

    /// Permits a call. Throws while the circuit is open.
    func admit() throws(CallFailure) -> Ticket {
        let uptime = time.uptime()
        let (ticket, phase) = state.withLock { state -> (Ticket?, Phase) in
            switch state.phase {
            case .closed: break
            case .open(let until) where uptime >= until: state.enter(.probing)
            case .open, .probing: return (nil, state.phase)
            }
            return (Ticket(generation: state.generation), state.phase)
        }
        if let ticket { return ticket }
        let reason = "\(threshold) calls in a row have failed on Google's side"
        guard case .open(let until) = phase else {
            throw CallFailure(.unknown, .circuitOpen, "\(reason); one call is trying whether it is back")
        }
        let date = date(until, from: uptime)
        throw CallFailure(
            .unknown,
            IntegrityDecoderOutage(
                .circuitOpen, "\(reason); nothing is sent until \(RFC3339.format(date))", retryAt: date))
    }

    /// Counts the result of a call; `side` is nil for an answer.
    func settle(_ ticket: Ticket, _ side: CallFailure.Side?) {
        let uptime = time.uptime()
        state.withLock { state in
            guard ticket.generation == state.generation else { return }
            switch (state.phase, side) {
            case (.closed, nil), (.closed, .client): state.phase = .closed(failures: 0)
            case (.closed(let failures), .servers):
                state.phase = .closed(failures: failures + 1)
                if failures + 1 >= threshold { state.enter(.open(until: uptime + pause)) }
            case (.probing, nil), (.probing, .client): state.enter(.closed(failures: 0))
            case (.probing, .servers): state.enter(.open(until: uptime + pause))
            // The probe is inconclusive: let the next call probe.
            case (.probing, .unknown): state.enter(.open(until: uptime))
            case (.closed, .unknown), (.open, _): break
            }
        }
    }

    private func date(_ uptime: Duration, from present: Duration) -> Date {
        time.now().addingTimeInterval((uptime - present).inSeconds)
    }
}
