import Foundation

/// One operation, done a number of times.
typealias Batch = (_ count: Int) -> Void

/// How long something took.
enum Stopwatch {
    /// Seconds of this thread's processor time: what others do on a shared machine does not count.
    static func cpu(_ body: () -> Void) -> Double { seconds(CLOCK_THREAD_CPUTIME_ID, body) }

    /// Seconds of the process's processor time, for work that may go from thread to thread.
    static func process(_ body: () async -> Void) async -> Double {
        let start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        await body()
        return Double(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e-9
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Seconds of wall time, for work on several threads.
    static func wall(_ body: () -> Void) -> Double { seconds(CLOCK_MONOTONIC, body) }

    private static func seconds(_ clock: clockid_t, _ body: () -> Void) -> Double {
        let start = nanoseconds(clock)
        body()
        return Double(nanoseconds(clock) - start) * 1e-9
    }
}

/// Measures an operation against a baseline in turns, so that both see the same machine.
struct Comparison {
    let rounds = 15
    let count: Int

    /// Prints the rate of `subject` as a share of the rate of `baseline`, and whether it reaches a target.
    func rate(_ name: String, of subject: Batch, against baseline: Batch, target: Double?) -> Bool {
        subject(count)
        baseline(count)
        var ratios: [Double] = []
        var microseconds: [Double] = []
        for _ in 0..<rounds {
            let base = Stopwatch.cpu { baseline(count) }
            let time = Stopwatch.cpu { subject(count) }
            ratios.append(base / time)
            microseconds.append(time / Double(count) * 1e6)
        }
        return report(name, ratios, target, note: "\(format(median(microseconds), 1)) us each")
    }

    /// Prints how much of the time of the whole a part takes.
    func share(_ name: String, of part: Batch, in whole: Batch) {
        part(count)
        whole(count)
        var shares: [Double] = []
        var microseconds: [Double] = []
        for _ in 0..<rounds {
            let time = Stopwatch.cpu { part(count) }
            shares.append(time / Stopwatch.cpu { whole(count) })
            microseconds.append(time / Double(count) * 1e6)
        }
        print("\(padded(name)) \(format(median(shares) * 100, 1)) %  (\(format(median(microseconds), 2)) us each)")
    }

    /// Prints how much more two threads get done than one, beside what a bare operation gains on the same machine.
    ///
    /// On a machine whose two processors are not all its own the bare operation gains less than 2; the target is reached
    /// when the subject reaches it, or gains as much as the bare operation but for three hundredths.
    /// - Parameter makeSubject: called once for each thread.
    func scaling(
        _ name: String, of makeSubject: () -> @Sendable (Int) -> Void,
        against baseline: @escaping @Sendable (Int) -> Void,
        target: Double
    ) -> Bool {
        let subjects = [makeSubject(), makeSubject()]
        for subject in subjects + [baseline] { subject(count) }
        var gains: [Double] = []
        var bareGains: [Double] = []
        for _ in 0..<rounds {
            bareGains.append(gain([baseline, baseline]))
            gains.append(gain(subjects))
        }
        let relative = median(zip(gains, bareGains).map { $0 / $1 })
        let (value, bare) = (median(gains), median(bareGains))
        // A machine that has no second processor to give shows nothing.
        let isReached = value >= target || (bare >= 1.5 && relative >= 0.97)
        print(
            "\(padded(name)) \(format(value, 3))  bare \(format(bare, 3))  share \(format(relative, 3))  "
                + "target \(format(target, 2)) or a share of 0.97, \(isReached ? "reached" : bare < 1.5 ? "NOT SHOWN: the machine is busy" : "MISSED")"
        )
        return isReached
    }

    private func gain(_ threads: [@Sendable (Int) -> Void]) -> Double {
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

    private func report(_ name: String, _ ratios: [Double], _ target: Double?, note: String) -> Bool {
        let value = median(ratios)
        let isReached = target.map { value >= $0 } ?? true
        let demand = target.map { "target \(format($0, 2)), \(isReached ? "reached" : "MISSED")" } ?? "no target"
        let (low, high) = (ratios.min() ?? 0, ratios.max() ?? 0)
        print("\(padded(name)) \(format(value, 3))  [\(format(low, 3)), \(format(high, 3))]  \(demand)  (\(note))")
        return isReached
    }
}

func padded(_ name: String) -> String { name.padding(toLength: 42, withPad: " ", startingAt: 0) }

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func format(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
