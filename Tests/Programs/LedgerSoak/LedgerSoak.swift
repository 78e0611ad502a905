import Foundation

/// Runs processes that contend for one ledger and kills them at random: `LedgerSoak SECONDS [PROCESSES...]`.
///
/// Records every acknowledged commit outside the ledger and compares the records with the ledger. Prints a table; exit
/// status 1 for a violation.
@main
enum LedgerSoak {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let seconds = words.first.flatMap { Double($0) } ?? 300
        let given = words.dropFirst().compactMap { Int($0) }
        let sizes = given.isEmpty ? [2, 4, 8] : given
        // Each round has a new ledger. Enough rounds run to kill writers at all file sizes.
        let turns = max(1, Int(seconds / Double(sizes.count) / 20))
        var results: [SoakResult] = []
        for size in sizes {
            var result = SoakResult(processes: size)
            for _ in 0..<turns {
                let soak = try Soak(processes: size)
                result.add(try await soak.run(seconds: seconds / Double(sizes.count * turns)))
            }
            results.append(result)
        }
        print(SoakResult.table(results))
        for violation in results.flatMap(\.violations).prefix(20) { print("violation: \(violation)") }
        if results.contains(where: { !$0.violations.isEmpty }) { exit(1) }
    }
}
