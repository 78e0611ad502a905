import AssayTestSupport
import Foundation
import Testing

@Suite("Hostile blobs")
struct HostileBlobTests {
    private struct Outcome: Codable {
        let blobs: Int
        let cases: Int
        let problems: [String]
    }

    /// The minimum number of cases. `make mutate` runs a million.
    private static let cases = 200_000

    @Test("No blob of the vectors traps when truncated or changed at random, and parts lie within their parents")
    func hostile() async throws {
        let run = try await onOwnThread {
            try ProgramRun(BuiltProducts.url("InspectionStress").path, ["\(Self.cases)"])
        }
        try #require(
            run.status == 0 || run.status == 1, "a signal, as a trap is, shows as its negative number: \(run.text)")
        let outcome = try JSONDecoder().decode(Outcome.self, from: Data(run.outputBytes))
        #expect(outcome.problems.isEmpty, "\(outcome.problems)")
        #expect(outcome.blobs > 500)
        #expect(outcome.cases >= Self.cases)
    }
}
