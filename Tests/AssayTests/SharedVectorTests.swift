import Assay
import AssayTestSupport
import Foundation
import Testing

/// Real captures from real devices, 2020 to 2026.
@Suite(.enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct SharedVectorTests {
    @Test("every captured record gives the verdict that it expects")
    func captures() async throws {
        let root = try #require(SharedFiles.root)
        let folder = "vectors/app-attest"
        let policy = try PolicyFile.load(path: root.appendingPathComponent("\(folder)/policy.yaml").path)
        let run = VectorRun(policy: policy)
        var count = 0
        for file in try SharedFiles.files(in: folder, suffix: ".json") {
            let outcome = try await run.run(Array(SharedFiles.data(file)), file: file)
            #expect(outcome.problems == [])
            count += outcome.count
        }
        #expect(count == 20)
    }
}
