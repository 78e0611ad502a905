import Foundation

/// Commits of the SQLite ledger, of one writer, of many, and of two processes, beside SQLite without a ledger.
struct LedgerSection: Section {
    let name = "ledger"
    let title = "The SQLite ledger"
    let note = """
        Steps of devices' counters, each durable before it is answered, in a file of 4096 devices. Wall time, the disk's \
        included, unless a line says processor time. Bare SQLite: the C API in one thread, the same file, pragmas and statements, each prepared once; where \
        the ledger has writers at once, as many steps in each of its transactions. Handing over: 64 tasks wait for answers that \
        another thread gives to all of them together, without a ledger. A group commit contains both, so that 64 writers \
        are held against their sum.
        """
    private static let writers = 64

    /// How many turns there are in a round, and how many steps of each writer in a turn; a lone one takes more. The
    /// first writes of a turn still go by what the turn before was like, so that short ones would show neither groups
    /// nor lone writers.
    private static let (turns, steps, loneSteps) = (8, 16, 64)

    /// Seconds, of all turns of a round together.
    private struct Round {
        var (single, bareSingle, grouped, bareGrouped) = (0.0, 0.0, 0.0, 0.0)
        var (processes, bareProcesses, groupedProcessor, bareProcessor) = (0.0, 0.0, 0.0, 0.0)
        var (handOver, handOverProcessor) = (0.0, 0.0)
    }

    func figures(_ pace: Pace) async throws -> [Figure] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString)")
        let shared = folder.appendingPathComponent("shared")
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for place in [folder, shared] {
            for name in ["ledger", "bare"] { try await CounterFile.prepare(place.appendingPathComponent(name).path) }
        }
        let ledger = try LedgerCounters(path: folder.appendingPathComponent("ledger").path, CounterFile.devices())
        let bare = BareCounters(path: folder.appendingPathComponent("bare").path, CounterFile.devices())
        let workers = try (0..<2).map { try CounterWorker(folder: shared, part: $0, of: 2) }
        var rounds: [Round] = []
        for _ in 0..<pace.rounds { rounds.append(try await round(ledger, bare, workers)) }
        return figures(rounds)
    }

    /// What is measured in a round, each in several turns: the disk's time for a commit changes from one to the next.
    private func round(
        _ ledger: LedgerCounters, _ bare: BareCounters, _ workers: [CounterWorker]
    ) async throws -> Round {
        var round = Round()
        let handOver = BareHandOver()
        for _ in 0..<Self.turns {
            let (few, many) = (Self.loneSteps, Self.writers * Self.steps)
            round.single += try await Stopwatch.wall { try await ledger.step(few, writers: 1) }
            round.bareSingle += await Stopwatch.wall { () async in bare.step(few, together: 1) }
            let (each, together) = (many / workers.count, Self.writers / workers.count)
            round.processes += try await Stopwatch.wall { () async throws in
                try CounterWorker.run(workers, "ledger \(each) \(together)")
            }
            round.bareProcesses += try await Stopwatch.wall { () async throws in
                try CounterWorker.run(workers, "bare \(each) \(together)")
            }
            var processor = (0.0, 0.0, 0.0)
            round.grouped += try await Stopwatch.wall {
                processor.0 = try await Stopwatch.process { try await ledger.step(many, writers: Self.writers) }
            }
            round.bareGrouped += await Stopwatch.wall {
                processor.1 = await Stopwatch.process { () async in bare.step(many, together: Self.writers) }
            }
            round.handOver += await Stopwatch.wall {
                processor.2 = await Stopwatch.process { await handOver.step(many, writers: Self.writers) }
            }
            round.handOverProcessor += processor.2
            round.groupedProcessor += processor.0
            round.bareProcessor += processor.1
        }
        return round
    }

    private func figures(_ rounds: [Round]) -> [Figure] {
        let one = Double(Self.turns * Self.loneSteps)
        let all = Double(Self.turns * Self.steps * Self.writers)
        /// A ratio of rates; `steps` and `others` are how many steps the times are of.
        func figure(
            _ subject: String, _ time: (Round) -> Double, _ steps: Double, against baseline: String,
            _ other: (Round) -> Double, _ others: Double, _ target: Target
        ) -> Figure {
            func microseconds(_ time: (Round) -> Double, _ steps: Double) -> String {
                significant(Spread(rounds.map(time)).median / steps * 1e6)
            }
            return Figure(
                subject, against: baseline, ratios: rounds.map { other($0) / others / (time($0) / steps) },
                target: target,
                detail: "\(microseconds(time, steps)) us a step against \(microseconds(other, others)) us")
        }
        let (many, grouped) = ("\(Self.writers) writers at once", "bare SQLite, \(Self.writers) steps a commit")
        let two = "two processes of \(Self.writers / 2) writers"
        return [
            figure(
                "one writer", \.single, one, against: "bare SQLite, a commit each", \.bareSingle, one, .atLeast(0.8)),
            figure(many, \.grouped, all, against: "one writer", \.single, one, .atLeast(5)),
            figure(many, \.grouped, all, against: grouped, \.bareGrouped, all, .none),
            figure(
                many, \.grouped, all, against: "\(grouped), and handing over", { $0.bareGrouped + $0.handOver }, all,
                .atLeast(0.8)),
            figure(
                two, \.processes, all, against: "two of bare SQLite, \(Self.writers / 2) steps a commit",
                \.bareProcesses,
                all, .atLeast(0.8)),
            figure(two, \.processes, all, against: many, \.grouped, all, .none),
            figure(
                "\(many), processor time", \.groupedProcessor, all, against: "\(grouped), and handing over",
                { $0.bareProcessor + $0.handOverProcessor }, all, .none),
        ]
    }
}
