import Foundation

/// Measures replays: their rate beside that of bare verification, what a second job gains, and what a second policy costs.
struct ReplayRun {
    let subject: ReplaySubject
    let bareP256: @Sendable (Int) -> Void
    private let rounds = 5

    /// Whether every target is reached.
    func reachesTargets() async -> Bool {
        print("replay of \(subject.count) assertions from NDJSON to verdicts in JSON")
        let results = [await rate(), await scaling(), await comparison()]
        return !results.contains(false)
    }

    private func rate() async -> Bool {
        var ratios: [Double] = []
        var microseconds: [Double] = []
        for round in 0...rounds {
            let bare = await seconds(CLOCK_PROCESS_CPUTIME_ID) { bareP256(subject.count) }
            let time = await seconds(CLOCK_PROCESS_CPUTIME_ID) { await demandAll(jobs: 1) }
            // The first round warms up.
            if round == 0 { continue }
            ratios.append(bare / time)
            microseconds.append(time / Double(subject.count) * 1e6)
        }
        return report(
            "one job / bare P-256, processor time", median(ratios), target: 0.75,
            note:
                "[\(format(ratios.min() ?? 0, 3)), \(format(ratios.max() ?? 0, 3))], \(format(median(microseconds), 1)) us each"
        )
    }

    private func scaling() async -> Bool {
        var gains: [Double] = []
        var bareGains: [Double] = []
        for _ in 0..<rounds {
            let bareOne = await seconds(CLOCK_MONOTONIC) { bareP256(subject.count) }
            let bareTwo = await seconds(CLOCK_MONOTONIC) { await twice { bareP256(subject.count) } }
            let one = await seconds(CLOCK_MONOTONIC) { await demandAll(jobs: 1) }
            let two = await seconds(CLOCK_MONOTONIC) { await demandAll(jobs: 2) }
            bareGains.append(2 * bareOne / bareTwo)
            gains.append(one / two)
        }
        let (value, bare) = (median(gains), median(bareGains))
        let isBusy = bare < 1.8
        let isReached = value >= 1.8 || (bare >= 1.5 && value / bare >= 0.95)
        print(
            "\(padded("two jobs / one job, wall time")) \(format(value, 3))  bare on two threads \(format(bare, 3))  "
                + "target 1.80, \(isReached ? "reached" : isBusy ? "NOT SHOWN: the machine is busy" : "MISSED")")
        return isReached || isBusy
    }

    private func comparison() async -> Bool {
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let one = await seconds(CLOCK_PROCESS_CPUTIME_ID) { await demandAll(jobs: 1) }
            let both = await seconds(CLOCK_PROCESS_CPUTIME_ID) { await demandAll(jobs: 1, isComparison: true) }
            ratios.append(both / one)
        }
        return report(
            "two policies / one, processor time", median(ratios), target: nil, note: "cryptography is done once")
    }

    private func demandAll(jobs: Int, isComparison: Bool = false) async {
        let bytes = await subject.replay(jobs: jobs, isComparison: isComparison)
        demand(bytes > subject.count * 500, "the replay rejects")
    }

    private func twice(_ body: @escaping @Sendable () -> Void) async {
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { body() } }
        }
    }

    private func seconds(_ clock: clockid_t, _ body: () async -> Void) async -> Double {
        var start = timespec()
        var end = timespec()
        clock_gettime(clock, &start)
        await body()
        clock_gettime(clock, &end)
        return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) * 1e-9
    }

    private func report(_ name: String, _ value: Double, target: Double?, note: String) -> Bool {
        let isReached = target.map { value >= $0 } ?? true
        let demand = target.map { "target \(format($0, 2)), \(isReached ? "reached" : "MISSED")" } ?? "no target"
        print("\(padded(name)) \(format(value, 3))  \(demand)  (\(note))")
        return isReached
    }
}
