import Assay
import Crypto

extension AppAttestSubject {
    /// Judges the assertion, without a ledger.
    @Sendable func assertions(_ count: Int) {
        for _ in 0..<count {
            let assessment = AssertionAssessor.assess(
                assertion, keys: assertionKeys, expectations: assertionExpectations, now: now)
            require(assessment.isAcceptable, "the assertion does not hold")
        }
    }

    /// Judges the attestation and its receipt, without a ledger.
    @Sendable func attestations(_ count: Int) { attest(count, attestationExpectations) }

    /// Judges the attestation and does not look at its receipt.
    @Sendable func attestationsWithoutReceipt(_ count: Int) { attest(count, attestationWithoutReceipt) }

    private func attest(_ count: Int, _ expectations: AppAttestExpectations) {
        for _ in 0..<count {
            let assessment = AttestationAssessor.assess(attestation, expectations: expectations, now: now)
            require(assessment.isAcceptable, "the attestation does not hold")
        }
    }

    /// One verification with a parsed key and a parsed signature, as it lies below an assertion.
    @Sendable func bareP256(_ count: Int) {
        for _ in 0..<count { require(p256.isValidSignature(p256Signature, for: p256Message), "P-256") }
    }

    /// One verification with a parsed key and a parsed signature, as it lies below an attestation.
    @Sendable func bareP384(_ count: Int) {
        for _ in 0..<count {
            let digest = SHA256.hash(data: p384Message)
            require(p384.isValidSignature(p384Signature, for: digest), "P-384")
        }
    }
}
