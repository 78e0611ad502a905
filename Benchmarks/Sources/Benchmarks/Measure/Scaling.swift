import Foundation

/// Measures how much more two threads get done than one, beside what a bare operation gains on the same machine.
struct Scaling {
    let pace: Pace
    /// What the gain is compared with: work that shares nothing.
    let bare: Contender
    /// The same work, without a watch.
    let bareWork: @Sendable (Int) -> Void

    /// - Parameter makeSubject: called once for each thread.
    func figure(_ name: String, of makeSubject: () throws -> @Sendable (Int) -> Void) async throws -> Figure {
        let subjects = [try makeSubject(), try makeSubject()]
        // Threads take a while to start, and turns have to be long beside it.
        let count = try await Contender.thread(name, subjects[0]).count(fillingTurn: pace.turn * 3)
        let bareCount = try await bare.count(fillingTurn: pace.turn * 3)
        subjects[1](count)
        var gains: [Double] = []
        var bareGains: [Double] = []
        for _ in 0..<pace.rounds {
            bareGains.append(gain([bareWork, bareWork], bareCount))
            gains.append(gain(subjects, count))
        }
        return .scaling(name, gains: gains, bareGains: bareGains, bareName: bare.name)
    }

    private func gain(_ threads: [@Sendable (Int) -> Void], _ count: Int) -> Double {
        let one = Stopwatch.wall { threads[0](count) }
        let both = Stopwatch.wall {
            let running = threads.map { work in
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    work(count)
                    done.signal()
                }
                return done
            }
            for done in running { done.wait() }
        }
        return 2 * one / both
    }
}

extension Figure {
    /// How much two threads or jobs gain, held against 1.9.
    ///
    /// On a machine whose two processors are not all its own a bare operation gains less than 2; the target is reached
    /// when the subject reaches it, or gains as much as the bare operation but for three hundredths. Where the bare
    /// operation gains less than 1.5 there is no second processor to show anything with.
    /// - Parameters:
    ///   - gains: what two get done in units of what one does, for each round.
    ///   - bareGains: the same of the bare operation, in the same rounds.
    static func scaling(_ name: String, gains: [Double], bareGains: [Double], bareName: String) -> Figure {
        let target = Target.atLeast(1.9)
        let (gain, bare) = (Spread(gains).median, Spread(bareGains).median)
        let share = Spread(zip(gains, bareGains).map { $0 / $1 }).median
        let standing: Standing =
            if target.isReached(by: gain) {
                .reached
            } else if bare < 1.5 {
                .notShown("\(bareName) gains only \(significant(bare)): the machine is busy")
            } else {
                share >= 0.97 ? .reached : .missed
            }
        return Figure(
            name, against: "itself on one thread", ratios: gains, target: target, standing: standing,
            detail: "\(bareName) gains \(significant(bare)); share of it \(significant(share))")
    }
}
