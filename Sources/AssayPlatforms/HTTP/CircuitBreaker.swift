import AssayCore
package import FoundationEssentials
import Synchronization

/// The side at fault for a failed call.
package enum FailureSide: Sendable {
    /// The servers failed, or an intermediary answered in their place.
    case servers
    /// The servers answered; the client or its configuration is wrong.
    case client
    /// The failure is not evidence about the servers.
    case unknown
}

/// A call that a circuit breaker refuses.
package struct OpenCircuit: Error, Sendable {
    /// The number of consecutive failures that opened the circuit.
    package let failures: Int
    /// When the next call is sent; nil while a probe is under way.
    package let until: Date?

    /// The sentence of the outage; `owner` has the servers.
    func message(ofServersOf owner: String) -> String {
        "\(failures) calls in a row have failed on \(owner)'s side; "
            + (until.map { "nothing is sent until \(RFC3339.format($0))" } ?? "one trial call is in progress")
    }
}

package enum CircuitState: Sendable, Equatable {
    /// All calls are sent.
    case closed
    /// No call is sent until the given time.
    case open(until: Date)
    /// One call is sent as a probe; others are not.
    case halfOpen
}

/// Stops calls for a while after consecutive server failures. A ticket holds the generation of the circuit at the start of its call;
/// the result counts only in that generation.
package final class CircuitBreaker: Sendable {
    /// Permission for one call. Settle it exactly once.
    package struct Ticket: Sendable {
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
    package init(threshold: Int, pause: Duration, time: ClientTime) {
        (self.threshold, self.pause, self.time) = (threshold, pause, time)
    }

    package var current: CircuitState {
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
    package func admit() throws(OpenCircuit) -> Ticket {
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
        guard case .open(let until) = phase else { throw OpenCircuit(failures: threshold, until: nil) }
        throw OpenCircuit(failures: threshold, until: date(until, from: uptime))
    }

    /// Counts the result of a call; `side` is nil for an answer.
    package func settle(_ ticket: Ticket, _ side: FailureSide?) {
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
