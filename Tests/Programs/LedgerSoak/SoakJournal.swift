import Synchronization

/// The commits that the processes acknowledged, recorded outside the ledger.
final class SoakJournal: Sendable {
    /// The kinds of commits, each acknowledged at most once per round.
    enum Thing: String, CaseIterable { case counter, digest, key, issued, consumed }

    struct Pages: Sendable {
        var acknowledged: [Thing: Set<UInt32>] = [:]
        var outages = 0
        var violations: [String] = []

        var commits: Int { acknowledged.values.reduce(0) { $0 + $1.count } }
        var counter: UInt32 { acknowledged[.counter]?.max() ?? 0 }
    }

    private let state = Mutex(Pages())
    private let greatest = Mutex(UInt32(0))

    var pages: Pages { state.withLock { $0 } }

    /// The greatest acknowledged counter.
    var counter: UInt32 { greatest.withLock { $0 } }

    /// Records a line of a process.
    func note(_ line: String) {
        let words = line.split(separator: " ")
        state.withLock { pages in
            switch words.first {
            case "ack":
                guard words.count == 3, let thing = Thing(rawValue: String(words[1])), let round = UInt32(words[2])
                else { return pages.violations.append("a line that says nothing: \(line)") }
                if !pages.acknowledged[thing, default: []].insert(round).inserted {
                    pages.violations.append("\(thing) \(round) was accepted twice")
                }
                if thing == .counter { greatest.withLock { $0 = max($0, round) } }
            case "outage": pages.outages += 1
            default: pages.violations.append(line)
            }
        }
    }

    func violation(_ sentence: String) {
        state.withLock { $0.violations.append(sentence) }
    }
}
