import Assay
import AssayCore
import Foundation

/// Judges files of records as captured, each file in its order with a ledger of its own, and holds the verdicts against
/// what the records expect.
struct VectorRun {
    let verifier: @Sendable () -> Verifier
    /// Whether a record that expects one check to fail expects no other one to.
    let isExact: Bool

    init(policy: Policy, isExact: Bool = false) {
        self.isExact = isExact
        verifier = { Verifier(policy: policy, ledger: MemoryLedger()) }
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
            let failed = verdict.failed.map(\.name)
            if verdict.failed.count == 1 { isolated.formUnion(verdict.failed) }
            let isExpected =
                verdict.outcome == expected.outcome
                && (expected.failed.first == "*" ? !failed.isEmpty : expected.failed.first == failed.first)
                && ((expected.failed.count < 2 && !isExact) || expected.failed == failed)
            if !isExpected {
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
