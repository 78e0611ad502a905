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
        let process = Process()
        process.executableURL = try BuiltProducts.url("InspectionStress")
        process.arguments = ["\(Self.cases)"]
        let output = Pipe()
        process.standardOutput = output
        let ended = AsyncStream<Int32> { continuation in
            process.terminationHandler = {
                continuation.yield($0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus)
                continuation.finish()
            }
        }
        try process.run()
        var status: Int32?
        for await end in ended { status = end }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let said = String(decoding: data, as: UTF8.self)
        try #require(status == 0 || status == 1, "a signal, as a trap is, shows as its negative number: \(said)")
        let outcome = try JSONDecoder().decode(Outcome.self, from: data)
        #expect(outcome.problems.isEmpty, "\(outcome.problems)")
        #expect(outcome.blobs > 500)
        #expect(outcome.cases >= Self.cases)
    }
}
