import Approov
import Assay
import AssayCore
import AssayTestSupport
import Foundation
import Testing

/// Signed messages made outside of this repository.
@Suite("The shared vectors of Approov messages", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct MessageSharedVectorTests {
    @Test("every message fails exactly the checks that its record names, under the policy beside it")
    func records() async throws {
        let copy = try KeyFolder()
        for path in try SharedFiles.files(in: "vectors/approov", suffix: "") where !path.hasSuffix("records.json") {
            let name = try #require(path.split(separator: "/").last)
            try copy.write(String(name), String(decoding: SharedFiles.data(path), as: UTF8.self))
        }
        let policy = try PolicyFile.load(path: copy.path("policy.yaml"))
        let records = try RecordFile.read(Array(SharedFiles.data("vectors/approov/records.json")))
            .map { try $0.get() }.filter { $0.kind == EvidenceKind.approovMessage }
        #expect(records.count == 14)
        var accepted = 0
        for record in records {
            let expected = try #require(record.expect)
            let verdict = try await Verifier(policy: policy, ledger: MemoryLedger())
                .verify(record, at: try #require(record.receivedAt))
            #expect(expected.isMet(by: verdict), "\(record.id ?? "?"): \(verdict.failures)")
            #expect(verdict.failed.count == expected.failed.count, "\(record.id ?? "?"): \(verdict.failures)")
            if verdict.outcome == .accept { accepted += 1 }
        }
        #expect(accepted == 3)
    }
}
