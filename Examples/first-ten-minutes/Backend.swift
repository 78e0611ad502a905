import Assay
import AssayLedgerSQLite
import Foundation

/// What a web framework's routes would call.
struct Backend {
    private let verifier: Verifier

    init() throws {
        let policy = try PolicyFile.load(path: "policy.yaml")
        let ledger = try SQLiteLedger.open(path: "ledger.sqlite")
        verifier = Verifier(policy: policy, ledger: ledger)
    }

    /// GET /challenges/attestation
    func attestationChallenge() async throws -> String {
        try await verifier.issueChallenge(app: "shop-ios", for: .appAttestAttestation, at: Date()).text
    }

    /// POST /keys
    func register(keyID: [UInt8], attestation: [UInt8], challenge: String) async throws -> Verdict {
        let input = AttestationInput(
            keyID: keyID, attestation: attestation, clientData: .data(Array(challenge.utf8)))
        return try await verifier.verify(input, at: Date())
    }

    /// GET /challenges/assertion
    func assertionChallenge() async throws -> String {
        try await verifier.issueChallenge(app: "shop-ios", for: .appAttestAssertion, at: Date()).text
    }

    /// POST /orders
    func order(keyID: [UInt8], assertion: [UInt8], body: String) async throws -> Verdict {
        let input = AssertionInput(keyID: keyID, assertion: assertion, clientData: .data(Array(body.utf8)))
        return try await verifier.verify(input, at: Date())
    }
}
