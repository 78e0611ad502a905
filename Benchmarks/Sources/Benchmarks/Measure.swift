import Foundation

/// One operation, done a number of times.
typealias Batch = (_ count: Int) -> Void

/// How long something took.
enum Stopwatch {
    /// Seconds of this thread's processor time: what others do on a shared machine does not count.
    static func cpu(_ body: () -> Void) -> Double { seconds(CLOCK_THREAD_CPUTIME_ID, body) }

    /// Seconds of wall time, for work on several threads.
    static func wall(_ body: () -> Void) -> Double { seconds(CLOCK_MONOTONIC, body) }

    private static func seconds(_ clock: clockid_t, _ body: () -> Void) -> Double {
        var start = timespec()
        var end = timespec()
        clock_gettime(clock, &start)
        body()
        clock_gettime(clock, &end)
        return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) * 1e-9
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

    /// Prints how much more two threads get done than one.
    ///
    /// - Parameter makeSubject: called once for each thread.
    func scaling(_ name: String, of makeSubject: () -> @Sendable (Int) -> Void, target: Double?) -> Bool {
        let subjects = [makeSubject(), makeSubject()]
        for subject in subjects { subject(count) }
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let one = Stopwatch.wall { subjects[0](count) }
            let two = Stopwatch.wall {
                let threads = subjects.map { subject in
                    let done = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        subject(count)
                        done.signal()
                    }
                    return done
                }
                for done in threads { done.wait() }
            }
            ratios.append(2 * one / two)
        }
        return report(name, ratios, target, note: "two threads against one")
    }

    private func report(_ name: String, _ ratios: [Double], _ target: Double?, note: String) -> Bool {
        let value = median(ratios)
        let isReached = target.map { value >= $0 } ?? true
        let demand = target.map { "target \(format($0, 2)), \(isReached ? "reached" : "MISSED")" } ?? "no target"
        let padded = name.padding(toLength: 46, withPad: " ", startingAt: 0)
        let (low, high) = (ratios.min() ?? 0, ratios.max() ?? 0)
        print("\(padded) \(format(value, 3))  [\(format(low, 3)), \(format(high, 3))]  \(demand)  (\(note))")
        return isReached
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func format(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
