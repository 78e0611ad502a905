import AssayGooglePlay
import Foundation
import Synchronization

/// A time that passes only when somebody waits, and that remembers the waits.
final class TestTime: Sendable {
    private struct State {
        var passed = Duration.zero
        var waits: [Duration] = []
        /// How long what is under way may take, and what of it has lasted so long.
        var limits: [Int: Duration] = [:]
        var hasRunOut: Set<Int> = []
        var nextLimit = 0
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

    /// Waits until something is under way that may take so long, and lets its time run out.
    func runOut(_ limit: Duration) async throws {
        let isUnderWay = {
            self.state.withLock { state in
                let ended = state.limits.filter { $0.value == limit }.keys
                state.hasRunOut.formUnion(ended)
                return !ended.isEmpty
            }
        }
        while !isUnderWay() { try await Task.sleep(for: .milliseconds(1)) }
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

    var client: ClientTime {
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
