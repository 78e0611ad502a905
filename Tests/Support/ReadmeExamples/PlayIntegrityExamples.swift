// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayLedgerSQLite
import AssayPlatforms
import Foundation

/// The Swift examples of Assay's VerifyingPlayIntegrity.md. They are compiled but not run.
struct PlayIntegrityExamples {
    let policy: VerificationPolicy
    let ledger: SQLiteLedger
    let verifier: Verifier
    let google: PlayIntegrityClient

    func block1() async throws {
        // Once. The sealed key store is in the file of the ledger.
        let masterKey = try MasterKey(text: SecretSource("env:ASSAY_MASTER_KEY").read())
        let keys = SealedKeyStore(storage: ledger, masterKey: masterKey, materials: Verifier.keyMaterials)
        let account = try ServiceAccount(json: SecretSource("file:service-account.json").read())
        let google = PlayIntegrityClient(account: account)
        let verifier = Verifier(policy: policy, ledger: ledger, keyStores: [keys], services: [google])
    }

    func block2() async throws {
        let challenge = try await verifier.issueChallenge(
            app: "shop-android", for: .playIntegrityClassic, at: Date())

        func isGenuine(classic token: String, nonce: String) async throws -> Bool {
            let input = ClassicIntegrityInput(token: token, packageName: "com.example.shop", nonce: nonce)
            return try await verifier.verify(input, at: Date()).outcome == .accept
        }
    }

    func block3() async throws {
        func isGenuine(standard token: String, requestHash: String) async throws -> Bool {
            let input = StandardIntegrityInput(
                packageName: "com.example.shop", requestHash: requestHash, evidence: .token(token))
            let verdict = try await verifier.verify(input, at: Date())
            print(verdict.playIntegrity?.payload.deviceIntegrity.deviceRecognitionVerdict ?? [])
            return verdict.outcome == .accept
        }
    }

    func block4() async throws {
        func stop() async { await google.shutdown() }
    }
}
