import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

extension AppAttestEngine: MeasuredEngine {
    static var hotPaths: [HotPath] { AppAttestPaths.all }
    static var verifierPaths: [HotPath] { VerifierPaths.appAttest }
}

/// App Attest without a ledger, from the bytes of the evidence to an assessment.
enum AppAttestPaths {
    static let appID = "1234567890.com.example.shop"
    static let now = Date(timeIntervalSince1970: 1_795_132_800)
    static let seed = "hot paths"

    static var all: [HotPath] {
        [
            HotPath("p256-verification", count: 50, signature) { signature in
                try require(
                    signature.key.isValidSignature(
                        der: signature.signature[...], for: signature.message, digest: .sha256), "the signature")
            },
            HotPath("assertion", count: 50, assertion) { subject in
                let assessment = AssertionAssessor.assess(
                    subject.input, keys: subject.keys, expectations: subject.expectations, now: now)
                try require(assessment.isAcceptable, "the assertion")
            },
            HotPath("assertion-rejected", count: 50, rejectedAssertion) { subject in
                let assessment = AssertionAssessor.assess(
                    subject.input, keys: subject.keys, expectations: subject.expectations, now: now)
                try require(!assessment.isAcceptable, "the assertion of another app")
            },
            HotPath("attestation", count: 5, { try attestation(receipt: .off) }, assess),
            HotPath("attestation-with-receipt", count: 5, { try attestation(receipt: .enforce) }, assess),
        ]
    }

    /// The authority that every attestation is issued by.
    static func authority() throws -> TestAuthority {
        try TestAuthority(seed: seed, notBefore: now - 86_400)
    }

    static func configuration(_ authority: TestAuthority, challenge: AppAttestConfiguration.ChallengeSource) throws
        -> AppAttestConfiguration
    {
        let root = try Certificate(der: authority.root.certificate[...])
        return try AppAttestConfiguration(
            appIDs: [appID], environments: [.production], challenge: challenge, clientData: .none
        ) { $0.testRoots = [root] }
    }

    static func mintAssertion(_ key: AttestedKey, counter: UInt32, appID: String = appID) throws -> MintedAssertion {
        let clientData = Array("{\"challenge\":\"4mpJ6hbzbjPhGBYwU2ycGZqqbJvPtqD4d2NXWyFGKgM\",\"amount\":100}".utf8)
        return try AssertionBlueprint(key: key, appID: appID, counter: counter, clientData: .bytes(clientData)).mint()
    }

    static func mintAttestation(
        _ authority: TestAuthority, device: Int, challenge: [UInt8]
    ) throws -> AttestationInput {
        let blueprint = AttestationBlueprint(
            authority: authority, key: AttestedKey(seed: seed, label: "device-\(device)"), appID: appID,
            clientData: .bytes(challenge), issuedAt: now)
        let minted = try blueprint.mint()
        return AttestationInput(keyID: minted.keyID, attestation: minted.attestation, clientData: .data(challenge))
    }

    static func input(_ minted: MintedAssertion) throws -> AssertionInput {
        guard case .bytes(let clientData) = minted.clientData else {
            throw Unexpected(description: "an assertion without client data")
        }
        return AssertionInput(keyID: minted.keyID, assertion: minted.assertion, clientData: .data(clientData))
    }

    private struct Signature {
        let key: ECDSAPublicKey
        let message: [UInt8]
        let signature: [UInt8]
    }

    private static func signature() throws -> Signature {
        let key = TestKey(.p256, seed: seed, label: "signature")
        let message = [UInt8](repeating: 0x5A, count: 32)
        return Signature(
            key: try ECDSAPublicKey(x963: key.publicPoint, curve: .p256), message: message,
            signature: try key.signature(over: message).der)
    }

    private struct Assertion {
        let input: AssertionInput
        let keys: AssertionKeys
        let expectations: AppAttestExpectations
    }

    private static func assertion() throws -> Assertion { try assertion(of: appID) }

    private static func rejectedAssertion() throws -> Assertion { try assertion(of: "1234567890.com.example.other") }

    private static func assertion(of signedAppID: String) throws -> Assertion {
        let minted = try mintAssertion(AttestedKey(seed: seed, label: "device"), counter: 1, appID: signedAppID)
        let enrolled = EnrolledKey(
            identifier: .appAttest(minted.keyID), app: "shop", publicKey: minted.publicPoint, counter: 0,
            enrolledAt: now, properties: ["appId": appID, "environment": "production"])
        let configuration = try AppAttestConfiguration(
            appIDs: [appID], environments: [.production], challenge: .caller, clientData: .none)
        return Assertion(
            input: try input(minted),
            keys: AssertionKeys(enrolled: enrolled, supplied: nil, durability: .durable, blocks: []),
            expectations: AppAttestExpectations(app: "shop", configuration: configuration, modes: [:]))
    }

    private struct Attestation {
        let input: AttestationInput
        let expectations: AppAttestExpectations
    }

    private static func attestation(receipt: CheckMode) throws -> Attestation {
        let authority = try authority()
        return Attestation(
            input: try mintAttestation(authority, device: 0, challenge: [UInt8](repeating: 0x43, count: 32)),
            expectations: AppAttestExpectations(
                app: "shop", configuration: try configuration(authority, challenge: .caller),
                modes: [.appAttestAttestationReceipt: receipt]))
    }

    private static func assess(_ subject: Attestation) throws {
        let assessment = AttestationAssessor.assess(subject.input, expectations: subject.expectations, now: now)
        try require(assessment.isAcceptable, "the attestation: \(assessment.checks.filter { $0.status == .failed })")
    }
}
