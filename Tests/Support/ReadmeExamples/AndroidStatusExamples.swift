// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayPlatforms

/// The block of FetchingTheStatusList.md. It is compiled but not run.
struct AndroidStatusExamples {
    let policy: VerificationPolicy
    let ledger: MemoryLedger

    func status() -> Verifier {
        let status = AttestationStatusClient(sharing: ledger)
        let verifier = Verifier(policy: policy, ledger: ledger, services: [status])
        return verifier
    }
}
