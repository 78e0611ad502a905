import Foundation

/// The result of contention between a number of processes.
struct SoakResult {
    let processes: Int
    /// Acknowledged commits.
    var commits = 0
    /// Commits in the ledger that no process acknowledged, because it was killed first.
    var unacknowledged = 0
    var kills = 0
    var outages = 0
    /// The number of entries and counters compared with the acknowledged ones.
    var checks = 0
    var violations: [String] = []

    init(processes: Int) { self.processes = processes }

    mutating func add(_ other: SoakResult) {
        commits += other.commits
        unacknowledged += other.unacknowledged
        kills += other.kills
        outages += other.outages
        checks += other.checks
        violations += other.violations
    }

    static func table(_ results: [SoakResult]) -> String {
        let head = ["processes", "commits", "kills", "outages", "untold", "checks", "violations"]
        let rows = results.map { result in
            [
                result.processes, result.commits, result.kills, result.outages, result.unacknowledged, result.checks,
                result.violations.count,
            ].map { "\($0)" }
        }
        return ([head] + rows).map { cells in
            zip(cells, head).map { cell, name in
                String(repeating: " ", count: max(0, name.count + 2 - cell.count)) + cell
            }.joined()
        }.joined(separator: "\n")
    }
}
