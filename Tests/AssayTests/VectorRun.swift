import Assay
import AssayCore
import Foundation

/// Judges files of records as captured, each file in its order with a ledger of its own, and holds the verdicts against
/// what the records expect.
struct VectorRun {
    let verifier: @Sendable () -> Verifier

    init(policy: VerificationPolicy) {
        verifier = { Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis) }
    }

    /// What is not as expected, how many records were judged, and which checks failed alone in one of them.
    func run(
        _ bytes: [UInt8], file: String
    ) async throws -> (problems: [String], count: Int, isolated: Set<CheckID>) {
        let verifier = verifier()
        var problems: [String] = []
        var count = 0
        var isolated: Set<CheckID> = []
        for result in RecordFile.read(bytes) {
            let record = try result.get()
            guard let expected = record.expect, let time = record.receivedAt else {
                problems.append("\(file): \(record.id ?? "?") expects nothing or has no time")
                continue
            }
            count += 1
            let verdict = try await verifier.verify(record, at: time)
            if verdict.failed.count == 1 { isolated.formUnion(verdict.failed) }
            if !expected.isMet(by: verdict) {
                let details = verdict.checks.filter { $0.status == .failed || $0.status == .annotated }
                    .map { "\($0.check) \($0.finding?.code ?? ""): \($0.finding?.detail ?? "")" }
                problems.append(
                    "\(file): \(record.id ?? "?") expects \(expected.outcome) \(expected.failed), "
                        + "found \(verdict.outcome) \(details)")
            }
        }
        return (problems, count, isolated)
    }
}
