import Assay
import AssayCore
import Testing

/// What a client can do about a failure is decided by check and code.
@Suite("Remedies")
struct RemedyTests {
    @Test(
        "A failure that honest clients meet has the remedy that helps them",
        arguments: [
            ("app-attest.attestation.nonce", "nonce-differs", Remedy.newChallenge),
            ("app-attest.attestation.chain", "expired", .newAttestation),
            ("app-attest.attestation.challenge", "challenge-expired", .newChallenge),
            ("app-attest.attestation.enrolment", "key-enrolled", .newAttestation),
            ("app-attest.attestation.enrolment", "blocked", .contactSupport),
            ("app-attest.attestation.os-version", "os-version-too-low", .updateSystem),
            ("app-attest.attestation.bundle-version", "bundle-version-too-low", .updateApp),
            ("app-attest.assertion.key", "key-unknown", .newAttestation),
            ("app-attest.assertion.signature", "signature-invalid", .retry),
            ("app-attest.assertion.challenge", "challenge-consumed", .newChallenge),
            ("app-attest.assertion.counter", "counter-not-increasing", .retry),
            ("app-attest.assertion.counter", "counter-not-successor", .newAttestation),
            ("play-integrity.decode", "google-refused", .retry),
            ("play-integrity.nonce", "nonce-differs", .newChallenge),
            ("play-integrity.freshness", "too-old", .retry),
            ("play-integrity.challenge", "challenge-consumed", .newChallenge),
            ("play-integrity.challenge", "digest-used", .retry),
            ("play-integrity.app-recognition", "app-recognition-not-allowed", .updateApp),
            ("play-integrity.device-recognition", "android-too-old", .updateSystem),
            ("play-integrity.device-recognition", "device-label-missing", .contactSupport),
            ("approov.token.decode", "token-empty", .retry), ("approov.token.expiry", "expired", .retry),
            ("approov.token.signature", "signature-invalid", .contactSupport),
            ("approov.token.binding", "binding-differs", .retry),
            ("approov.token.device", "device-blocked", .contactSupport),
            ("approov.message.replay", "digest-used", .retry),
        ])
    func helps(check: String, code: String, remedy: Remedy) throws {
        let definition = try #require(Verifier.catalogue.first { $0.id.name == check })
        #expect(definition.codes.contains { $0.name == code })
        #expect(definition.remedy(for: code) == remedy)
    }

    @Test(
        "Evidence that no genuine app sends has none",
        arguments: [
            ("app-attest.attestation.decode", "truncated"), ("app-attest.attestation.chain", "untrusted"),
            ("app-attest.attestation.public-key", "credential-key-differs"),
            ("app-attest.assertion.key", "key-differs"),
            ("play-integrity.signature", "signature-invalid"), ("play-integrity.testing-response", "testing-response"),
            ("approov.token.signature", "loggable-token"), ("approov.token.claims", "duplicate-key"),
        ])
    func none(check: String, code: String) throws {
        let definition = try #require(Verifier.catalogue.first { $0.id.name == check })
        #expect(definition.codes.contains { $0.name == code })
        #expect(definition.remedy(for: code) == .nothing)
    }
}
