import AssayCore
import AssayLedgerPostgreSQL
import Foundation
import Synchronization

/// The rate of commits in a small ledger, and in one with many keys and digests that is purged meanwhile.
///
/// Times are simulated and begin a month ago: digests are in force for ten minutes, and purged an hour later. The time between two
/// digests is such that the wanted number is stored at once.
struct Growth: Sendable {
    private static let stored = 600.0 + LedgerRules.retention
    private static let tasks = 512
    private let ledger: PostgreSQLLedger
    private let keys: Int
    private let origin = Date() - 30 * 86_400
    /// Seconds between two digests.
    private let interval: Double
    /// How many digests were made.
    private let digests = Counter()

    private final class Counter: Sendable {
        private let count = Atomic(0)
        func next(_ number: Int = 1) -> Int { count.add(number, ordering: .relaxed).oldValue }
    }

    static func run(_ url: String, _ keys: Int, _ digests: Int, _ seconds: Int) async throws {
        try await PostgreSQLLedger.create(url)
        // The time of the writes decides what is purged.
        let ledger = try await PostgreSQLLedger.open(url, purging: .byClock { Date() })
        let growth = Growth(ledger: ledger, keys: keys, interval: stored / Double(max(digests, 1)))
        try await growth.fill(keys, 200) { range, _ in range.map(Keys.enrol) }
        let before = try await growth.rate(for: seconds, first: 0)
        // From here on as many are purged as are stored.
        try await growth.fill(max(digests - growth.digests.next(0), 0), 200) { range, growth in
            let first = growth.digests.next(range.count)
            return (first..<first + range.count).map(growth.use)
        }
        let purged = ledger.counts.purged
        let after = try await growth.rate(for: seconds, first: 1)
        PostgreSQLStress.say("\(before) \(after) \(ledger.counts.purged - purged)")
        try await ledger.close()
    }

    private func time(_ number: Int) -> Date { origin + Double(number) * interval }

    private func use(_ number: Int) -> LedgerEffect {
        var random = Random(state: UInt64(number))
        let bytes = (0..<4).flatMap { _ in
            let value = random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let time = time(number)
        let use = UsedDigest(
            digest: bytes, app: "shop", kind: EvidenceKind("test.message"), madeAt: time, usedAt: time,
            until: time + 600)
        return LedgerEffect(CheckID("test.replay"), .rememberDigest(use))
    }

    /// Stores so many entries, some in each commit.
    private func fill(
        _ count: Int, _ size: Int, _ effects: @escaping @Sendable (Range<Int>, Growth) -> [LedgerEffect]
    ) async throws {
        let next = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    while true {
                        let start = next.next(size)
                        guard start < count else { return }
                        let effects = effects(start..<min(start + size, count), self)
                        let now = time(digests.next(0))
                        guard try await ledger.commit(effects, at: now).isApplied else {
                            throw CocoaError(.featureUnsupported)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Commits a step and a digest in each task, until the time is over. Returns commits a second.
    private func rate(for seconds: Int, first round: UInt32) async throws -> Int {
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let commits = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    var random = Random(state: UInt64(task))
                    var commits = 0
                    // The keys of a task are its own; counters grow from round to round.
                    let own = max(keys / Self.tasks, 1)
                    while ContinuousClock.now < end {
                        commits += 1
                        let key = task * own + Int(random.next() % UInt64(own))
                        let number = digests.next()
                        let counter = round << 30 | UInt32(commits)
                        let effects = [Keys.advance(Keys.identifier(key), to: counter), use(number)]
                        guard try await ledger.commit(effects, at: time(number)).isApplied else {
                            throw CocoaError(.featureUnsupported)
                        }
                    }
                    return commits
                }
            }
            return try await group.reduce(0, +)
        }
        return Int(Double(commits) / ((ContinuousClock.now - start) / .seconds(1)))
    }
}
