import Assay
import AssayCore
import Foundation

/// Records that a mutation run wrote to a file: those that the ledger must see first, and the mutant as the last one.
package struct MutantFile: Sendable {
    private let records: [EvidenceRecord]

    /// Reads the file.
    package init(path: String) throws {
        records = try RecordFile.read(Array(Data(contentsOf: URL(fileURLWithPath: path)))).map { try $0.get() }
    }

    /// One line per record: outcome and failed checks.
    ///
    /// - Parameters:
    ///   - policy: the policy file of the vectors.
    ///   - variant: a ``PolicyVariant``: `bare`, `written` or `full`.
    /// - Returns: nil for an unknown variant.
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
