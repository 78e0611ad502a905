// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayLedgerSQLite
import Foundation

/// The Swift examples of Assay's VerifyingAppAttest.md. They are compiled but not run.
struct AppAttestExamples {
    let verifier: Verifier

    func block1() async throws {
        let policy = try PolicyFile.load(path: "policy.yaml")
        let ledger = try SQLiteLedger.open(path: "ledger.sqlite")
        let verifier = Verifier(policy: policy, ledger: ledger)
    }

    func block2() async throws {
        let challenge = try await verifier.issueChallenge(
            app: "shop-ios", for: .appAttestAttestation, at: Date())
        print(challenge.text)  // 44 characters of base64url for 33 bytes
    }

    func block3() async throws {
        func register(keyID: Data, attestation: Data, challenge: String) async throws -> Bool {
            let input = AttestationInput(
                keyID: keyID, attestation: attestation, clientData: .data(Array(challenge.utf8)))
            let verdict = try await verifier.verify(input, at: Date())
            return verdict.outcome == .accept
        }
    }

    func block4() async throws {
        let assertionChallenge = try await verifier.issueChallenge(
            app: "shop-ios", for: .appAttestAssertion, at: Date())

        func isGenuine(keyID: Data, assertion: Data, body: Data) async throws -> Bool {
            let input = AssertionInput(keyID: keyID, assertion: assertion, clientData: .data(Array(body)))
            let verdict = try await verifier.verify(input, at: Date())
            return verdict.outcome == .accept
        }
    }
}
