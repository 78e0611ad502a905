// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayLedgerSQLite
import Foundation

/// The Swift examples of Assay's VerifyingAndroidKeys.md. They are compiled but not run.
struct AndroidKeyExamples {
    let verifier: Verifier

    func block1() async throws {
        let challenge = try await verifier.issueChallenge(app: "shop-android", for: .androidKeyAttestation, at: Date())

        func enrol(certificates: [[UInt8]], challenge: [UInt8], account: String) async throws -> [UInt8]? {
            let input = KeyAttestationInput(certificates: certificates, challenge: challenge)
            let verdict = try await verifier.verify(input, account: account, at: Date())
            guard verdict.outcome == .accept, let subject = verdict.androidKey else { return nil }
            print(subject.osPatchLevel ?? 0, subject.rootOfTrust?.verifiedBootState.rawValue ?? "unknown")
            return subject.publicKeySHA256
        }
    }

    func block2() async throws {
        func isGenuine(
            certificates: [[UInt8]], challenge: [UInt8], integrityToken: String,
            requestHash: (_ bytes: [UInt8]) -> String
        ) async throws -> Bool {
            let key = try await verifier.verify(
                KeyAttestationInput(certificates: certificates, challenge: challenge), app: "shop-android", at: Date())
            guard key.outcome == .accept, let subject = key.androidKey else { return false }
            // base64url without padding of SHA-256(challenge || SubjectPublicKeyInfo), as the app computed it.
            let token = StandardIntegrityInput(
                packageName: "com.example.shop", requestHash: requestHash(challenge + subject.publicKey),
                evidence: .token(integrityToken))
            return try await verifier.verify(token, app: "shop-play", at: Date()).outcome
                == .accept
        }
    }
}
