import Assay
import AssayCore
import AssayTesting

/// Genuine evidence of every engine, and a verifier with its apps.
enum MintedRecords {
    static let all = EngineRegistry.standard.fuzzed.flatMap { $0.records }

    static let verifier: Verifier = {
        let policies = EngineRegistry.standard.fuzzed.map { $0.policy }
        let apps = Dictionary(grouping: policies.flatMap(\.apps), by: \.name)
        do {
            let policy = try VerificationPolicy(
                apps: apps.map { PolicyApp(name: $0, configurations: $1.flatMap(\.configurations)) },
                keys: policies.flatMap(\.keys), catalogue: Verifier.catalogue)
            return Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
        } catch {
            FuzzTarget.broken("no policy: \(error)")
        }
    }()
}

extension EditableEvidence {
    /// The evidence as a record in a file.
    var record: [UInt8] {
        guard let closed = close() else { FuzzTarget.broken("genuine evidence cannot be closed") }
        var bytes: [UInt8] = []
        RecordJSON.append(.object(closed.record.document), to: &bytes)
        return bytes
    }
}
