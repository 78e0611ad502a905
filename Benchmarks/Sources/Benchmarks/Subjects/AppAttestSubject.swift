import Assay
import AssayCore
import AssayPrimitives
import Crypto
import Foundation

/// Apple's sample attestation and an assertion, what they are held against, and the bare operations below them.
struct AppAttestSubject: Sendable {
    let now: Date
    private(set) var attestation: AttestationInput
    let attestationExpectations: AppAttestExpectations
    let attestationWithoutReceipt: AppAttestExpectations
    private(set) var assertion: AssertionInput
    private(set) var assertionKeys: AssertionKeys
    let assertionExpectations: AppAttestExpectations

    /// The bare operations: key and signature are parsed, only the verification is left.
    let p256: P256.Signing.PublicKey
    let p256Signature: P256.Signing.ECDSASignature
    let p256Message: Data
    let p384: P384.Signing.PublicKey
    let p384Signature: P384.Signing.ECDSASignature
    let p384Message: Data

    private static let appID = "1234567890.com.example.myapp"

    private struct Record: Decodable {
        struct Evidence: Decodable {
            let keyId: Data
            let attestation: Data
            let clientDataHash: Data
        }
        let receivedAt: String
        let evidence: Evidence
    }

    /// Loads Apple's sample, and signs an assertion as a device would.
    init() throws {
        let file = Places.vectors.appendingPathComponent("app-attest/apple-guide-2026.json")
        guard let record = try JSONDecoder().decode([Record].self, from: Data(contentsOf: file)).first else {
            throw CocoaError(.fileReadCorruptFile)
        }
        now = RFC3339.parse(record.receivedAt) ?? Date()
        attestation = AttestationInput(
            keyID: record.evidence.keyId, attestation: record.evidence.attestation,
            clientData: .hash(Array(record.evidence.clientDataHash)))
        let configuration = try AppAttestConfiguration(
            appIDs: [Self.appID], environments: [.production], challenge: .caller, clientData: .none)
        let receiptCheck = CheckID.appAttestAttestationReceipt
        attestationExpectations = AppAttestExpectations(
            app: "benchmark", configuration: configuration, modes: [receiptCheck: .annotate])
        attestationWithoutReceipt = AppAttestExpectations(
            app: "benchmark", configuration: configuration, modes: [receiptCheck: .off])

        let key = P256.Signing.PrivateKey()
        let keyID = Array(SHA256.hash(data: key.publicKey.x963Representation))
        (assertion, p256Message, p256Signature) = try Self.sign(key, keyID: keyID, counter: 1)
        p256 = key.publicKey
        assertionKeys = AssertionKeys(
            enrolled: EnrolledKey(
                identifier: KeyIdentifier(engine: AppAttestConfiguration.engine, value: keyID), app: "benchmark",
                publicKey: Array(key.publicKey.x963Representation), counter: 0, enrolledAt: now,
                properties: ["appId": Self.appID, "environment": "production"]),
            supplied: nil, durability: .durable, blocks: [])
        assertionExpectations = attestationExpectations

        // As long as the part of Apple's sample that the intermediate signs.
        p384Message = Data(repeating: 0x5A, count: 930)
        let authority = P384.Signing.PrivateKey()
        p384 = authority.publicKey
        p384Signature = try authority.signature(for: SHA256.hash(data: p384Message))
    }

    /// The same, in memory of its own.
    func copied() -> AppAttestSubject {
        var copy = self
        copy.attestation = AttestationInput(
            keyID: attestation.keyID.map { $0 }, attestation: attestation.attestation.map { $0 },
            clientData: .hash(attestation.clientData.bytes.map { $0 }))
        copy.assertion = AssertionInput(
            keyID: assertion.keyID.map { $0 }, assertion: assertion.assertion.map { $0 },
            clientData: .data(assertion.clientData.bytes.map { $0 }))
        if let key = assertionKeys.enrolled {
            copy.assertionKeys = AssertionKeys(
                enrolled: EnrolledKey(
                    identifier: KeyIdentifier.appAttest(key.identifier.value.map { $0 }), app: key.app,
                    publicKey: key.publicKey.map { $0 }, counter: key.counter, enrolledAt: key.enrolledAt,
                    properties: Dictionary(uniqueKeysWithValues: key.properties.map { $0 })),
                supplied: nil, durability: .durable, blocks: [])
        }
        return copy
    }

    private static func sign(
        _ key: P256.Signing.PrivateKey, keyID: [UInt8], counter: UInt8
    ) throws -> (AssertionInput, Data, P256.Signing.ECDSASignature) {
        let clientData = Array("{\"challenge\":\"4mpJ6hbzbjPhGBYwU2ycGZqqbJvPtqD4d2NXWyFGKgM\",\"amount\":100}".utf8)
        let data = Array(SHA256.hash(data: Data(appID.utf8))) + [0x40, 0, 0, 0, counter]
        let nonce = Data(SHA256.hash(data: data + Array(SHA256.hash(data: clientData))))
        let signature = try key.signature(for: nonce)
        let der = Array(signature.derRepresentation)
        var cbor: [UInt8] = [0xA2, 0x69] + Array("signature".utf8) + [0x58, UInt8(der.count)] + der
        cbor += [0x71] + Array("authenticatorData".utf8) + [0x58, UInt8(data.count)] + data
        let input = AssertionInput(keyID: keyID, assertion: cbor, clientData: .data(clientData))
        return (input, nonce, signature)
    }
}

extension ClientDataInput {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .data(let bytes), .hash(let bytes): bytes
        }
    }
}
