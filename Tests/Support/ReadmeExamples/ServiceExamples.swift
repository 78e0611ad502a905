// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayAndroidStatus
import AssayAppleServices
import AssayKeyStore
import AssayLedgerSQLite

/// The blocks of the pages about Google's status list and Apple's services. They are compiled and not run.
struct ServiceExamples {
    let policy: VerificationPolicy
    let ledger: SQLiteLedger
    let masterKey: MasterKey

    func status() -> Verifier {
        let status = AttestationStatusClient(sharing: ledger)
        let verifier = Verifier(policy: policy, ledger: ledger, services: [status])
        return verifier
    }

    func apple() async -> Verifier {
        let apple = AppleServices(ledger: ledger, masterKey: masterKey)
        let verifier = Verifier(policy: policy, ledger: ledger, services: [apple])
        async let work: Void = apple.run({ verifier }) { notice in print(notice) }
        return verifier
    }
}
