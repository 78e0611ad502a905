import AssayCore
import AssayLedgerPostgreSQL
import Foundation
import Synchronization

/// Steps of counters by many tasks.
enum Rates {
    static func prepare(_ url: String, _ keys: Int) async throws {
        try await PostgreSQLLedger.create(url)
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit((0..<keys).map(Keys.enrol), at: Date())
        try await ledger.close()
    }

    static func measure(_ url: String, _ tasks: Int, _ seconds: Int, _ first: Int) async throws {
        let ledger = try await PostgreSQLLedger.open(url)
        let line = try await rate(tasks, seconds) { task, counter in
            let effects = [Keys.advance(Keys.identifier(first + task), to: counter)]
            guard try await ledger.commit(effects, at: Date()).isApplied else {
                throw CocoaError(.featureUnsupported)
            }
        }
        let counts = ledger.counts
        PostgreSQLStress.say("\(line) \(counts.writes / max(counts.transactions, 1))")
        try await ledger.close()
    }

    /// Tasks that wait for two threads, which answer up to 256 at once and pause for as long as a transaction lasts.
    static func handOver(_ tasks: Int, _ seconds: Int) async throws {
        let waiting = WaitingTasks()
        for _ in 0..<2 {
            Thread.detachNewThread {
                while waiting.answer(atMost: 256) { Thread.sleep(forTimeInterval: 0.002) }
            }
        }
        let line = try await rate(tasks, seconds) { task, counter in
            let effects = [Keys.advance(Keys.identifier(task), to: counter)]
            await waiting.wait(with: effects)
        }
        waiting.close()
        PostgreSQLStress.say("\(line) 256")
    }

    private final class WaitingTasks: Sendable {
        private struct Waiter: Sendable {
            let effects: [LedgerEffect]
            let continuation: CheckedContinuation<Void, Never>
        }

        private let waiters = Mutex<[Waiter]>([])
        private let isClosed = Mutex(false)

        func wait(with effects: [LedgerEffect]) async {
            await withCheckedContinuation { continuation in
                waiters.withLock { $0.append(Waiter(effects: effects, continuation: continuation)) }
            }
        }

        /// Answers some tasks. Returns false once closed.
        func answer(atMost limit: Int) -> Bool {
            let taken = waiters.withLock { waiters in
                let taken = Array(waiters.prefix(limit))
                waiters.removeFirst(taken.count)
                return taken
            }
            for waiter in taken { waiter.continuation.resume() }
            return !isClosed.withLock { $0 }
        }

        func close() { isClosed.withLock { $0 = true } }
    }

    /// Runs `step` in each task until the time is over. Returns steps a second, and microseconds of processor time a step.
    private static func rate(
        _ tasks: Int, _ seconds: Int, _ step: @escaping @Sendable (Int, UInt32) async throws -> Void
    ) async throws -> String {
        let (start, busy) = (ContinuousClock.now, processorTime())
        let end = start + .seconds(seconds)
        let steps = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var counter: UInt32 = 0
                    while ContinuousClock.now < end {
                        counter += 1
                        try await step(task, counter)
                    }
                    return Int(counter)
                }
            }
            return try await group.reduce(0, +)
        }
        let took = (ContinuousClock.now - start) / .seconds(1)
        let cost = (processorTime() - busy) * 1e6 / Double(max(steps, 1))
        return "\(Int(Double(steps) / took)) \((cost * 100).rounded() / 100)"
    }

    /// The processor time of this process, in seconds.
    private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
