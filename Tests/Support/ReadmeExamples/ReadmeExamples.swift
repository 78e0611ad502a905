// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayLedgerSQLite
import Foundation

/// The Swift examples of README.md. They are compiled but not run.
struct ReadmeExamples {
    let verifier: Verifier

    func appAttest() throws {
        let policy = try PolicyFile.load(path: "policy.yaml")
        let ledger = try SQLiteLedger.open(path: "ledger.sqlite")
        let verifier = Verifier(policy: policy, ledger: ledger)

        // Before the app attests its key. The text has 44 characters; the app hashes it with SHA-256.
        func attestationChallenge() async throws -> String {
            try await verifier.issueChallenge(app: "shop-ios", for: .appAttestAttestation, at: Date()).text
        }

        // An accepted attestation enrols the key. After a lost answer the app attests it again, with a new challenge.
        func register(keyID: Data, attestation: Data, challenge: String) async throws -> Bool {
            let input = AttestationInput(
                keyID: keyID, attestation: attestation, clientData: .data(Array(challenge.utf8)))
            return try await verifier.verify(input, at: Date()).outcome == .accept
        }

        // On every signed request: an accepted assertion advances the counter of its key.
        func isGenuine(keyID: Data, assertion: Data, body: Data) async throws -> Bool {
            let input = AssertionInput(keyID: keyID, assertion: assertion, clientData: .data(Array(body)))
            let verdict = try await verifier.verify(input, at: Date())
            for check in verdict.checks where check.status == .failed {
                print(check.check, check.finding?.detail ?? "")
            }
            return verdict.outcome == .accept
        }
    }

    func playIntegrity() {
        // The nonce of a classic request is a challenge of the ledger.
        func integrityNonce() async throws -> String {
            try await verifier.issueChallenge(app: "shop-android", for: .playIntegrityClassic, at: Date()).text
        }

        func isGenuine(token: String, nonce: String) async throws -> Bool {
            let input = ClassicIntegrityInput(token: token, packageName: "com.example.shop", nonce: nonce)
            return try await verifier.verify(input, at: Date()).outcome == .accept
        }
    }

    func approov() {
        func isGenuine(token: String, authorization: String, client: String) async throws -> Bool {
            let input = ApproovTokenInput(token: token, binding: [authorization], address: client)
            return try await verifier.verify(input, app: "api", at: Date()).outcome == .accept
        }
    }
}
