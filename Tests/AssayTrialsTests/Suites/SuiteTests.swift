import AssayTestSupport
import AssayTrials
import Foundation
import Testing

/// Third-party suites, and the vectors of this repository and the shared ones. `make suites` prints the table.
@Suite("Suites", .timeLimit(.minutes(20)))
struct SuiteTests {
    private static var suites: [TrialSuite] { TrialSuite.all.filter { $0.file == nil || SharedFiles.isAvailable } }

    @Test("Every case is accepted or refused as its suite says, or for a registered reason", arguments: suites)
    func all(_ suite: TrialSuite) async throws {
        let report = try await suite.run()
        #expect(report.cases > 0)
        #expect(report.problems == [])
    }

    @Test("Every file of the suites is in the table", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
    func files() throws {
        let root = try #require(SharedFiles.root).appendingPathComponent("suites")
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".json") }
        #expect(files.count >= 28)
        #expect(Set(files.map { "suites/\($0)" }) == Set(TrialSuite.all.compactMap(\.file)))
    }

    @Test(
        "The table that is committed is the one that `make suites` writes",
        .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
    func table() async throws {
        let file = TestVectors.folder.appendingPathComponent("../Docs/measurements/suites.md")
        let committed = try String(contentsOf: file, encoding: .utf8)
        #expect(try await SuiteTable().markdown == committed)
    }
}
