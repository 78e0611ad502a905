// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayPlatforms

/// The Swift examples of CallingGooglePlay.md. They are compiled but not run.
struct GooglePlayExamples {
    let policy: VerificationPolicy
    let ledger: MemoryLedger

    func block1() async throws {
        let account = try ServiceAccount(json: SecretSource("file:service-account.json").read())
        let google = PlayIntegrityClient(account: account)
        let verifier = Verifier(policy: policy, ledger: ledger, services: [google])
    }
}
