package import AssayPlatforms
import AssayTestSupport
package import Foundation
import Synchronization

/// A clock that advances only by waits, which it records.
package final class TestTime: Sendable {
    private struct State {
        var passed = Duration.zero
        var waits: [Duration] = []
        /// The timeouts of running operations, and the expired ones.
        var limits: [Int: Duration] = [:]
        var hasRunOut: Set<Int> = []
        var nextLimit = 0
    }

    private let start: Date
    private let random: Double
    private let state = Mutex(State())

    /// - Parameter random: the value of every random number.
    package init(_ start: Date = Date(timeIntervalSince1970: 1_776_794_400), random: Double = 1) {
        self.start = start
        self.random = random
    }

    /// The recorded waits.
    package var waits: [Duration] { state.withLock { $0.waits } }

    /// The time of day.
    package var now: Date {
        let passed = state.withLock { $0.passed }
        return start.addingTimeInterval(
            Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18)
    }

    /// Advances the clock.
    package func pass(_ duration: Duration) { state.withLock { $0.passed += duration } }

    /// Waits for an operation with this timeout and makes it time out.
    package func runOut(_ limit: Duration) async throws {
        try await waitUntil("an operation with a timeout of \(limit)", every: .milliseconds(1)) {
            self.state.withLock { state in
                let ended = state.limits.filter { $0.value == limit }.keys
                state.hasRunOut.formUnion(ended)
                return !ended.isEmpty
            }
        }
    }

    private func waitUntilRunOut(_ limit: Duration) async throws {
        let number = state.withLock { state in
            defer { state.nextLimit += 1 }
            state.limits[state.nextLimit] = limit
            return state.nextLimit
        }
        defer { state.withLock { $0.limits[number] = nil } }
        while limit > .zero, !state.withLock({ $0.hasRunOut.contains(number) }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        pass(limit)
    }

    /// The clocks of a client.
    package var client: ClientTime {
        ClientTime(
            now: { self.now }, uptime: { self.state.withLock { $0.passed } },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock {
                    $0.passed += duration
                    $0.waits.append(duration)
                }
            },
            runOut: { try await self.waitUntilRunOut($0) }, random: { self.random })
    }
}
