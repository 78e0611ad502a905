import AssayTestSupport
import Foundation

/// Inspects hostile blobs in a separate process and prints the number of cases and the failures as JSON.
///
/// A separate process, because the test library records a backtrace for each error that a strict decoder throws, which
/// takes longer than decoding.
///
///     InspectionStress CASES    runs at least CASES cases; exit status 1 on a failure
@main
enum InspectionStress {
    struct Outcome: Codable {
        let blobs: Int
        let cases: Int
        let problems: [String]
    }

    static func main() async throws {
        guard let cases = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) else {
            FileHandle.standardError.write(Data("usage: InspectionStress CASES\n".utf8))
            exit(64)
        }
        let blobs = try VectorBlobs.all()
        let work = HostileWork(blobs: blobs, cases: cases)
        let outcome = await withTaskGroup(of: (Int, [String]).self, returning: (Int, [String]).self) { group in
            let tasks = ProcessInfo.processInfo.activeProcessorCount
            for number in 0..<tasks { group.addTask { work.run(number, of: tasks) } }
            var sum = (0, [String]())
            for await part in group { sum = (sum.0 + part.0, sum.1 + part.1) }
            return sum
        }
        print(
            String(
                decoding: try JSONEncoder().encode(
                    Outcome(blobs: blobs.count, cases: outcome.0, problems: Array(outcome.1.prefix(3)))), as: UTF8.self)
        )
        if !outcome.1.isEmpty { exit(1) }
    }
}
