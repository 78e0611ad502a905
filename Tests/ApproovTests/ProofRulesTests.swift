import Approov
import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The policy's requirements for proofs besides the measurement: encrypted tokens, and single-use nonces.
@Suite("The policy for measurement proofs")
struct ProofRulesTests {
    private static let measured = ApproovTestMeasurements(seed: "proof rules", label: "app")
    private static let now = TokenFixtures.now

    private static func settings(
        _ proof: ProofRules, _ format: ApproovConfiguration.TokenFormat = .jws
    ) -> ApproovConfiguration.Settings {
        var settings = TokenFixtures.lenient
        settings.proof = proof
        settings.format = format
        return settings
    }

    private static var claims: JSONItem {
        var claims = TokenFixtures.claims
        for (name, bytes) in [("mpk", measured.proofKey), ("imh", measured.integrity), ("dmh", measured.device)] {
            claims[name] = .text(Data(bytes ?? []).base64EncodedString())
        }
        return claims
    }

    private static let measurements = ApproovClaims.Measurements(
        proofKey: measured.proofKey.map { SecretBytes($0) }, integrity: measured.integrity.map { SecretBytes($0) },
        device: nil)

    private static func input(
        _ source: ApproovProofInput.Source = .measurements(measurements), nonce: [UInt8] = [UInt8](0..<16)
    ) -> ApproovProofInput {
        ApproovProofInput(
            nonce: nonce, proof: measured.proof(nonce: nonce, of: measured.integrity ?? []), source: source)
    }

    @Test("With tokens: encrypted, a signed token with measurements is refused, and an encrypted one is accepted")
    func encrypted() async throws {
        let signed = Self.input(.token(try TokenFixtures.token(Self.claims)))
        let rules = ProofRules(tokens: .encrypted)
        func failures(_ input: ApproovProofInput, _ settings: ApproovConfiguration.Settings) async throws -> [String] {
            try await TokenFixtures.verifier(settings).verify(input, at: Self.now).failures
        }
        let refused = ["approov.proof.measurement measurements-not-encrypted"]
        #expect(try await failures(signed, Self.settings(rules)) == refused)
        #expect(try await failures(signed, Self.settings(ProofRules())) == refused, "the default")
        #expect(try await failures(signed, TokenFixtures.lenient) == refused, "without `proof`")
        #expect(try await failures(signed, Self.settings(ProofRules(tokens: .any))) == [])
        let encrypted = Self.input(.token(try TokenFixtures.jwe(Self.claims.text)))
        #expect(try await failures(encrypted, Self.settings(rules, .jwe)) == [])
        // The caller vouches for measurements without a token.
        #expect(try await failures(Self.input(), Self.settings(rules)) == [])
        let without = Self.input(.token(try TokenFixtures.token()))
        #expect(
            try await failures(without, Self.settings(rules)) == ["approov.proof.measurement measurements-missing"])
        #expect(try ApproovConfiguration(Self.settings(rules)).remarks.contains { $0.field == "proof.tokens" })
        #expect(try !ApproovConfiguration(Self.settings(rules, .jwe)).remarks.contains { $0.field == "proof.tokens" })
        #expect(try !ApproovConfiguration(TokenFixtures.lenient).remarks.contains { $0.field == "proof.tokens" })
    }

    @Test("Without a rule, the verdict has no check of the nonce, and the same proof is accepted again")
    func callers() async throws {
        let verifier = try TokenFixtures.verifier(TokenFixtures.lenient)
        for _ in 0..<2 {
            let verdict = try await verifier.verify(Self.input(), at: Self.now)
            #expect(verdict.outcome == .accept)
            #expect(verdict.checks.map(\.check) == [CheckID.approovProofMeasurement])
        }
    }

    @Test(
        "With nonce: ledger, a nonce of 16 bytes is a single-use challenge of the ledger for proofs",
        .produces("approov.proof.challenge", "challenge-consumed", "challenge-expired", "challenge-mismatch"))
    func challenges() async throws {
        let verifier = try TokenFixtures.verifier(Self.settings(ProofRules(nonce: .ledger)))
        func failures(_ nonce: [UInt8], after seconds: Double = 0) async throws -> [String] {
            try await verifier.verify(Self.input(nonce: nonce), at: Self.now + seconds).failures
        }
        func issue() async throws -> IssuedChallenge {
            try await verifier.issueChallenge(app: "api", for: .approovProof, at: Self.now)
        }
        let challenge = try await issue()
        #expect(challenge.value.count == 16 && challenge.text.count == 22)
        var wrong = Self.input(nonce: challenge.value)
        wrong = ApproovProofInput(nonce: challenge.value, proof: [UInt8](wrong.proof.reversed()), source: wrong.source)
        // A rejection consumes nothing.
        let verdict = try await verifier.verify(wrong, at: Self.now)
        #expect(verdict.failed == [CheckID.approovProofMeasurement])
        let accepted = try await verifier.verify(Self.input(nonce: challenge.value), at: Self.now)
        #expect(accepted.outcome == .accept)
        #expect(accepted.checks.map(\.check) == [CheckID.approovProofMeasurement, CheckID.approovProofChallenge])
        #expect(try await failures(challenge.value) == ["approov.proof.challenge challenge-consumed"])
        #expect(try await failures([UInt8](0..<16)) == ["approov.proof.challenge challenge-unknown"])
        let late = try await issue()
        #expect(try await failures(late.value, after: 300) == ["approov.proof.challenge challenge-expired"])
        let other = IssuedChallenge(
            value: [UInt8](16..<32), app: "api", purpose: ChallengePurpose(EvidenceKind.appAttestAssertion),
            issuedAt: Self.now, expiresAt: Self.now + 60)
        try await verifier.ledger.issue(other, at: Self.now)
        #expect(try await failures(other.value) == ["approov.proof.challenge challenge-mismatch"])
    }

    @Test("Of many tasks with one nonce, exactly one is accepted")
    func races() async throws {
        let folder = try TestFolder()
        let ledger = try SQLiteLedger.open(path: folder.path("ledger.sqlite"))
        let verifier = try TokenFixtures.verifier(Self.settings(ProofRules(nonce: .ledger)), ledger: ledger)
        let nonce = try await verifier.issueChallenge(app: "api", for: .approovProof, at: Self.now).value
        let accepted = try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    try await verifier.verify(Self.input(nonce: nonce), at: Self.now).outcome == .accept
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(accepted == 1)
        withExtendedLifetime(folder) {}
    }
}
