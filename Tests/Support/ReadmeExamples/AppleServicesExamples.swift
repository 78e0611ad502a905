// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayPlatforms

/// The block of CallingAppleServices.md. It is compiled but not run.
struct AppleServicesExamples {
    let policy: VerificationPolicy
    let ledger: MemoryLedger
    let masterKey: MasterKey

    func apple() async -> Verifier {
        let apple = AppleServices(ledger: ledger, masterKey: masterKey)
        let verifier = Verifier(policy: policy, ledger: ledger, services: [apple])
        async let work: Void = apple.run({ verifier }) { notice in print(notice) }
        return verifier
    }
}
