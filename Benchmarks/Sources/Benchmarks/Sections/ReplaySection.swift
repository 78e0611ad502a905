import Foundation

/// Replays: their rate beside that of bare verification, what a second job gains, and what a second policy costs.
struct ReplaySection: Section {
    let name = "replay"
    let title = "Replay of assertions, from NDJSON to verdicts in JSON"
    let note = """
        File, JSON, base64, counters and output included, against bare P-256 verifications of the same number. Processor \
        time; two jobs against one by wall time. The cryptography of two policies is done once.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        let subject = try ReplaySubject(keys: pace.count(1000), rounds: 10)
        defer { try? FileManager.default.removeItem(at: subject.file) }
        let bare = try AppAttestSubject().bareP256
        // A replay takes half a second.
        let rounds = max(2, pace.rounds / 3)
        return [
            await rate(subject, bare, rounds), await scaling(subject, bare, rounds), await comparison(subject, rounds),
        ]
    }

    private func rate(_ subject: ReplaySubject, _ bare: @Sendable (Int) -> Void, _ rounds: Int) async -> Figure {
        var ratios: [Double] = []
        var times: [Double] = []
        for round in 0...rounds {
            let base = await Stopwatch.process { bare(subject.count) }
            let time = await Stopwatch.process { await replay(subject, jobs: 1) }
            // The first round warms up.
            if round == 0 { continue }
            ratios.append(base / time)
            times.append(time / Double(subject.count) * 1e6)
        }
        return Figure(
            "replay with one job", against: "bare P-256 (swift-crypto)", ratios: ratios, target: .atLeast(0.75),
            detail: "\(significant(Spread(times).median)) us each")
    }

    private func scaling(
        _ subject: ReplaySubject, _ bare: @escaping @Sendable (Int) -> Void, _ rounds: Int
    ) async -> Figure {
        var gains: [Double] = []
        var bareGains: [Double] = []
        for _ in 0..<rounds {
            let bareOne = await Stopwatch.wall { () async in bare(subject.count) }
            let bareTwo = await Stopwatch.wall { await twice { bare(subject.count) } }
            let one = await Stopwatch.wall { await replay(subject, jobs: 1) }
            let two = await Stopwatch.wall { await replay(subject, jobs: 2) }
            bareGains.append(2 * bareOne / bareTwo)
            gains.append(one / two)
        }
        return .scaling("replay with two jobs", gains: gains, bareGains: bareGains, bareName: "bare P-256")
    }

    private func comparison(_ subject: ReplaySubject, _ rounds: Int) async -> Figure {
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let one = await Stopwatch.process { await replay(subject, jobs: 1) }
            let both = await Stopwatch.process { await replay(subject, jobs: 1, isComparison: true) }
            ratios.append(one / both)
        }
        return Figure("replay with two policies", against: "replay with one", ratios: ratios, target: .none)
    }

    private func replay(_ subject: ReplaySubject, jobs: Int, isComparison: Bool = false) async {
        let bytes = await subject.replay(jobs: jobs, isComparison: isComparison)
        require(bytes > subject.count * 500, "the replay rejects")
    }

    private func twice(_ body: @escaping @Sendable () -> Void) async {
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { body() } }
        }
    }
}
