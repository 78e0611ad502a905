import AssayCore
import AssayLedgerPostgreSQL
import Foundation

/// Commits whose rows cross those of other tasks and processes.
enum Crossing {
    private static let (keys, tasks) = (40, 16)

    /// Every counter is drawn once among all processes, whose seeds differ: a step is refused only because a greater one was faster.
    static func run(_ url: String, _ seconds: Int, _ seed: UInt64) async throws {
        let ledger = try await PostgreSQLLedger.open(url)
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let applied = try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var random = Random(state: seed &* 1000 &+ UInt64(task))
                    var applied = [UInt32](repeating: 0, count: keys)
                    while ContinuousClock.now < end {
                        let chosen = (0..<keys).shuffled(using: &random).prefix(12)
                        // Counters grow with time; the lowest bits are of the process and the task.
                        let milliseconds = UInt32(clamping: Int((ContinuousClock.now - start) / .milliseconds(1)))
                        let counter = milliseconds << 7 | UInt32(seed % 8) << 4 | UInt32(task)
                        var effects = chosen.map { Keys.advance(Keys.identifier($0), to: counter) }
                        effects.append(digest(of: random.next() % 1000, at: Date()))
                        effects.shuffle(using: &random)
                        guard try await ledger.commit(effects, at: Date()).isApplied else { continue }
                        for key in chosen { applied[key] = max(applied[key], counter) }
                    }
                    return applied
                }
            }
            return try await group.reduce(into: [UInt32](repeating: 0, count: keys)) { total, part in
                for key in 0..<keys { total[key] = max(total[key], part[key]) }
            }
        }
        PostgreSQLStress.say(applied.map(String.init).joined(separator: "\n"))
        let counts = ledger.counts
        let report = "\(counts.transactions) transactions, \(counts.writes) writes, \(counts.races) repeated\n"
        FileHandle.standardError.write(Data(report.utf8))
        try await ledger.close()
    }

    /// A use of one of a thousand digests a second: several tasks draw the same one now and then.
    private static func digest(of number: UInt64, at now: Date) -> LedgerEffect {
        let second = UInt64(now.timeIntervalSince1970)
        let bytes = [second, number].flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let use = UsedDigest(
            digest: bytes, app: "shop", kind: EvidenceKind("test.message"), madeAt: now, usedAt: now, until: now + 60)
        return LedgerEffect(CheckID("test.replay"), .rememberDigest(use))
    }
}

/// SplitMix64 of a seed.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
