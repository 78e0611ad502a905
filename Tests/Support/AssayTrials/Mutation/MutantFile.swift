import Assay
import AssayCore
import Foundation

/// Records that a run of changes wrote to a file: what the ledger has to see before, and the changed one at the end.
package struct MutantFile: Sendable {
    private let records: [EvidenceRecord]

    /// Reads the file.
    package init(path: String) throws {
        records = try RecordFile.read(Array(Data(contentsOf: URL(fileURLWithPath: path)))).map { try $0.get() }
    }

    /// One line for each record: outcome and failed checks.
    ///
    /// - Parameters:
    ///   - policy: the policy file of the vectors.
    ///   - variant: how much of it holds: `bare`, `written` or `full`.
    /// - Returns: nil for any other variant.
    package func verdicts(policy: String, variant: String) async throws -> [String]? {
        guard let variant = PolicyVariant(rawValue: variant) else { return nil }
        let policy = try variant.applied(to: VectorFolder.policy(at: URL(fileURLWithPath: policy)))
        let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
        var verdicts: [String] = []
        for record in records {
            let verdict = try await verifier.verify(record, at: record.receivedAt ?? Date(timeIntervalSince1970: 0))
            verdicts.append(
                "\(record.id ?? "?"): \(verdict.outcome.rawValue) "
                    + verdict.failed.map(\.name).joined(separator: ", "))
        }
        return verdicts
    }
}
