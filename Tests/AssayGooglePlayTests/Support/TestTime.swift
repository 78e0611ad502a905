import AssayGooglePlay
import Foundation
import Synchronization

/// A time that passes only when somebody waits, and that remembers the waits.
final class TestTime: Sendable {
    private struct State {
        var passed = Duration.zero
        var waits: [Duration] = []
    }

    private let start: Date
    private let random: Double
    private let state = Mutex(State())

    /// - Parameter random: what every random number is.
    init(_ start: Date = Date(timeIntervalSince1970: 1_776_794_400), random: Double = 1) {
        self.start = start
        self.random = random
    }

    /// How long was waited, each time.
    var waits: [Duration] { state.withLock { $0.waits } }

    /// The time of day.
    var now: Date {
        let passed = state.withLock { $0.passed }
        return start.addingTimeInterval(
            Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18)
    }

    /// Lets time pass.
    func pass(_ duration: Duration) { state.withLock { $0.passed += duration } }

    var client: ClientTime {
        ClientTime(
            now: { self.now }, uptime: { self.state.withLock { $0.passed } },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock {
                    $0.passed += duration
                    $0.waits.append(duration)
                }
            }, random: { self.random })
    }
}
