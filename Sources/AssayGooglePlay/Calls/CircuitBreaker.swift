import AssayCore
public import FoundationEssentials
import PlayIntegrity
import Synchronization

/// Whether calls are tried.
public enum CircuitState: Sendable, Equatable {
    /// They are.
    case closed
    /// They are not, until a time.
    case open(until: Date)
    /// One call tries whether the servers are back; others are not tried meanwhile.
    case halfOpen
}

/// Stops calls for a while when the servers have failed some in a row, so that callers get an answer at once and the
/// servers are left alone.
///
/// Calls hold a ticket of the state in which they began. One that began before a change says nothing about what came
/// after it.
final class CircuitBreaker: Sendable {
    /// The right to call, to be settled once.
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

    /// Makes a closed circuit.
    ///
    /// - Parameters:
    ///   - threshold: how many calls in a row may fail.
    ///   - pause: how long it stays open before one call is let through.
    init(threshold: Int, pause: Duration, time: ClientTime) {
        self.threshold = threshold
        self.pause = pause
        self.time = time
    }

    /// Whether calls are tried at present.
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

    /// Asks to call.
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
            throw CallFailure(.nobody, .circuitOpen, "\(reason); one call is trying whether it is back")
        }
        let date = date(until, from: uptime)
        throw CallFailure(
            .nobody,
            IntegrityDecoderOutage(
                .circuitOpen, "\(reason); nothing is sent until \(RFC3339.format(date))", retryAt: date))
    }

    /// Says what came of a call.
    ///
    /// - Parameter side: whose failure it was, and nil when the servers answered.
    func settle(_ ticket: Ticket, _ side: CallFailure.Side?) {
        let uptime = time.uptime()
        state.withLock { state in
            guard ticket.generation == state.generation else { return }
            switch (state.phase, side) {
            case (.closed, nil), (.closed, .us): state.phase = .closed(failures: 0)
            case (.closed(let failures), .servers):
                state.phase = .closed(failures: failures + 1)
                if failures + 1 >= threshold { state.enter(.open(until: uptime + pause)) }
            case (.probing, nil), (.probing, .us): state.enter(.closed(failures: 0))
            case (.probing, .servers): state.enter(.open(until: uptime + pause))
            // Nothing was learned: the next call may try.
            case (.probing, .nobody): state.enter(.open(until: uptime))
            case (.closed, .nobody), (.open, _): break
            }
        }
    }

    private func date(_ uptime: Duration, from present: Duration) -> Date {
        time.now().addingTimeInterval((uptime - present).inSeconds)
    }
}
