import Foundation

/// Lets processes contend for one ledger and kills them at random, for a while: `LedgerSoak SECONDS [PROCESSES...]`.
///
/// What each of them says was acknowledged is kept here, outside of the ledger, and held against what the ledger has.
/// Prints a table, and ends with 1 when anything was violated.
@main
enum LedgerSoak {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let seconds = words.first.flatMap { Double($0) } ?? 300
        let given = words.dropFirst().compactMap { Int($0) }
        let sizes = given.isEmpty ? [2, 4, 8] : given
        // A ledger of its own for each turn, and enough turns that files of all sizes are cut off.
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
