import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity

extension PlayIntegrityEngine: MeasuredEngine {
    static var hotPaths: [HotPath] { PlayIntegrityPaths.all }
    static var verifierPaths: [HotPath] { VerifierPaths.playIntegrity }
}

/// Play Integrity without a ledger, from the text of a token or an answer to an assessment.
enum PlayIntegrityPaths {
    static let packageName = "com.example.shop"
    static let certificateDigest = [UInt8](repeating: 0x6A, count: 32)

    static var all: [HotPath] {
        [
            HotPath("classic-token", count: 50, classic) { subject in
                let assessment = ClassicIntegrityAssessor.assess(
                    subject.input, keys: subject.keys, expectations: subject.expectations, now: AppAttestPaths.now)
                try require(assessment.isAcceptable, "the classic token: \(assessment.checks)")
            },
            HotPath("standard-answer", count: 300, standard) { subject in
                let answer = IntegrityAnswer(json: subject.body)
                let assessment = StandardIntegrityAssessor.assess(
                    subject.input, answer: answer, from: .caller, expectations: subject.expectations,
                    now: AppAttestPaths.now)
                try require(assessment.isAcceptable, "the answer on a standard token: \(assessment.checks)")
            },
        ]
    }

    static func configuration(challenge: PlayIntegrityConfiguration.ChallengeSource) throws
        -> PlayIntegrityConfiguration
    {
        try PlayIntegrityConfiguration(
            packageName: packageName,
            android: PlayIntegrityConfiguration.AndroidRules(certificateDigests: [certificateDigest]),
            challenge: challenge)
    }

    static let testKeys = PlayIntegrityTestKeys(seed: AppAttestPaths.seed, label: "classic")

    static func keys() throws -> [NamedKey] {
        let material = try PlayIntegrityKeys.reading([
            "decryptionKey": SecretBytes(Array(testKeys.decryptionKeyFile.utf8)),
            "verificationKey": SecretBytes(Array(testKeys.verificationKeyFile.utf8)),
        ])
        return [NamedKey(name: "play", scope: packageName, material: material)]
    }

    static func mintClassic(nonce: [UInt8]) throws -> ClassicIntegrityInput {
        var blueprint = ClassicTokenBlueprint(
            keys: testKeys, packageName: packageName, nonce: nonce, certificateDigests: [certificateDigest],
            issuedAt: AppAttestPaths.now)
        // Random otherwise; as input it has no other meaning.
        blueprint.contentKey = [UInt8](repeating: 0x4B, count: 32)
        blueprint.initializationVector = [UInt8](repeating: 0x49, count: 12)
        return try ClassicIntegrityInput(
            token: blueprint.mint().token, packageName: packageName, nonce: Base64.encode(nonce, .url))
    }

    static func mintAnswer(requestHash: String) -> [UInt8] {
        StandardAnswerBlueprint(
            packageName: packageName, requestHash: requestHash, certificateDigests: [certificateDigest],
            issuedAt: AppAttestPaths.now
        ).mint().body
    }

    private struct Classic {
        let input: ClassicIntegrityInput
        let keys: [NamedKey]
        let expectations: PlayIntegrityExpectations
    }

    private static func classic() throws -> Classic {
        Classic(
            input: try mintClassic(nonce: [UInt8](repeating: 0x4E, count: 32)), keys: try keys(),
            expectations: try expectations())
    }

    private struct Standard {
        let input: StandardIntegrityInput
        let body: [UInt8]
        let expectations: PlayIntegrityExpectations
    }

    private static func standard() throws -> Standard {
        let body = mintAnswer(requestHash: "hash-of-a-request")
        return Standard(
            input: StandardIntegrityInput(
                packageName: packageName, requestHash: "hash-of-a-request",
                evidence: .decoded(IntegrityAnswer(json: body))),
            body: body, expectations: try expectations())
    }

    private static func expectations() throws -> PlayIntegrityExpectations {
        let configuration = try configuration(challenge: .caller)
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", configuration)], catalogue: Verifier.catalogue)
        return PlayIntegrityExpectations(app: "shop", configuration: configuration, modes: policy.modes)
    }
}
