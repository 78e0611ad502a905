import AssayCore
import FoundationEssentials

extension LedgerContract {
    static let raceCases: [Case] = [
        Case("of racing commits of one counter exactly one is applied") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for counter in UInt32(1)...20 {
                let outcomes = try await race(ledger, (0..<32).map { _ in [Sample.advance(counter)] })
                try expectEqual(outcomes.count { $0.isApplied }, 1, "winners at counter \(counter)")
                let replay = LedgerRefusal.counterNotIncreasing(presented: counter, stored: counter)
                try expectEqual(
                    outcomes.count { $0.decisions == [replay] }, 31, "refused as replays of counter \(counter)")
            }
            try expectEqual(try await ledger.counter(), 20, "the counter after all races")
        },
        Case("of racing consumers of one challenge exactly one is applied") { ledger in
            for seed in UInt8(1)...20 {
                try await ledger.issue(Sample.challenge(seed), at: Sample.now)
                let outcomes = try await race(ledger, (0..<32).map { _ in [Sample.consume(seed)] })
                try expectEqual(outcomes.count { $0.isApplied }, 1, "consumers that won")
            }
        },
        Case("of racing uses of one digest exactly one is applied") { ledger in
            for seed in UInt8(1)...20 {
                let outcomes = try await race(ledger, (0..<32).map { _ in [Sample.remember(Sample.digest(seed))] })
                try expectEqual(outcomes.count { $0.isApplied }, 1, "uses that won")
            }
        },
        Case("of racing commits with several digests that share one exactly one is applied, whole") { ledger in
            for round in UInt8(0)..<20 {
                let uses = (UInt8(1)...3).map { Sample.digest(round * 3 + $0) }
                let shapes = [[uses[0], uses[1]], [uses[1]], [uses[1], uses[2]], uses]
                let commits = (0..<32).map { shapes[$0 % shapes.count] }
                let outcomes = try await race(ledger, commits.map { $0.map(Sample.remember) })
                let winners = zip(commits, outcomes).filter { $0.1.isApplied }.map(\.0)
                try expectEqual(winners.count, 1, "commits that won")
                for use in uses {
                    let isStored = try await ledger.codes(Sample.remember(use)) == ["digest-used"]
                    try expectEqual(
                        isStored, winners[0].contains { $0.digest == use.digest }, "a digest of the winner is stored")
                }
            }
        },
        Case("of racing enrolments of one key exactly one is applied") { ledger in
            for seed in UInt8(1)...20 {
                let keys = (0..<32).map { Sample.key(seed, counter: UInt32($0)) }
                let outcomes = try await race(ledger, keys.map { [Sample.enrol($0)] })
                let winners = zip(keys, outcomes).filter { $0.1.isApplied }.map(\.0)
                try expectEqual(winners.count, 1, "enrolments that won")
                try expectEqual(
                    try await ledger.enrolledKey(Sample.identifier(seed)), winners.first, "the key that is enrolled")
            }
        },
        Case("racing counters come out as in some order of them") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for round in UInt32(0)..<20 {
                let stored = try await ledger.counter() ?? 0
                // A fixed shuffle with repetitions: 13 values for 39 writers.
                let presented = (UInt32(0)..<39).map { stored + 1 + ($0 * 7 + round) % 13 }
                let outcomes = try await race(ledger, presented.map { [Sample.advance($0)] })
                try expectSomeOrder(presented, outcomes, from: stored, to: try await ledger.counter())
            }
        },
        Case("racing successors are applied without a gap") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for _ in 0..<20 {
                let stored = try await ledger.counter() ?? 0
                let presented = (UInt32(0)..<32).map { stored + 1 + $0 % 8 }
                let outcomes = try await race(ledger, presented.map { [Sample.advance($0, rule: .successor)] })
                let applied = zip(presented, outcomes).filter { $0.1.isApplied }.map(\.0).sorted()
                try expect(!applied.isEmpty, "the successor was among the writers, and none won")
                try expectEqual(
                    applied, Array(stored + 1...stored + UInt32(applied.count)), "the counters that were applied")
                try expectEqual(try await ledger.counter(), applied.last, "the counter after the race")
            }
        },
        Case("racing commits of several effects are applied whole") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for seed in UInt8(1)...20 {
                try await ledger.issue(Sample.challenge(seed), at: Sample.now)
                let stored = try await ledger.counter() ?? 0
                let presented = (UInt32(1)...32).map { stored + $0 }
                let outcomes = try await race(ledger, presented.map { [Sample.consume(seed), Sample.advance($0)] })
                let applied = zip(presented, outcomes).filter { $0.1.isApplied }.map(\.0)
                try expectEqual(applied.count, 1, "commits that got the challenge")
                try expectEqual(
                    try await ledger.counter(), applied.first, "the counter, which must be the winner's own")
            }
        },
        Case("a cancelled task does not disturb the others") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            let writers = (UInt32(1)...64).map { counter in
                Task { try await ledger.commit([Sample.advance(counter)], at: Sample.now).isApplied }
            }
            for writer in writers.dropLast().enumerated() where writer.offset.isMultiple(of: 2) {
                writer.element.cancel()
            }
            var applied: [UInt32] = []
            for (counter, writer) in zip(UInt32(1)..., writers) {
                if (try? await writer.value) == true { applied.append(counter) }
            }
            try expectEqual(applied.last, 64, "the greatest counter, whose task was not cancelled")
            try expectEqual(try await ledger.counter(), 64, "the counter afterwards")
        },
    ]

    /// Commits all batches concurrently.
    static func race(
        _ ledger: any Ledger, _ commits: [[LedgerEffect]], at now: Date = Sample.now
    ) async throws -> [CommitOutcome] {
        try await withThrowingTaskGroup(of: (Int, CommitOutcome).self) { group in
            for (index, effects) in commits.enumerated() {
                group.addTask { (index, try await ledger.commit(effects, at: now)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Checks for a sequential order: sorted accepted counters, each loser right after the counter that beat it.
    private static func expectSomeOrder(
        _ presented: [UInt32], _ outcomes: [CommitOutcome], from stored: UInt32, to final: UInt32?
    ) throws {
        let accepted = zip(presented, outcomes).filter { $0.1.isApplied }.map(\.0)
        try expectEqual(Set(accepted).count, accepted.count, "different counters among the accepted")
        try expectEqual(accepted.max(), presented.max(), "the greatest counter, which nothing can beat")
        try expectEqual(final, accepted.max(), "the counter after the race")
        for (counter, outcome) in zip(presented, outcomes) where !outcome.isApplied {
            guard case .counterNotIncreasing(counter, let rival) = outcome.decisions.first ?? nil else {
                throw ContractViolation(message: "counter \(counter) was refused for \(outcome.decisions)")
            }
            try expect(
                rival >= counter && (accepted + [stored]).contains(rival),
                "counter \(counter) lost against \(rival), which was never stored or is smaller")
        }
    }
}
