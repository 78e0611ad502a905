public import AssayCore
public import FoundationEssentials

/// An attestation that a test authority minted.
public struct MintedAttestation: Sendable {
    /// The key ID, 32 bytes. Apps send it as base64.
    public let keyID: [UInt8]
    /// The attested public point, 65 bytes.
    package let publicPoint: [UInt8]
    /// The input of `attestKey`.
    public package(set) var clientData: AppAttestClientData
    /// The encoded attestation object.
    public let attestation: [UInt8]
    /// Its encoded authenticator data.
    package let authenticatorData: [UInt8]
    /// Its certificates, DER.
    package let certificates: [[UInt8]]
    /// Its receipt; nil if it has none.
    public let receipt: [UInt8]?
    package let mintedAt: Date

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - keyID: The text of `keyId`; nil for the base64 of the key ID.
    ///   - app: The policy's app; nil to let the verifier find it.
    ///   - receivedAt: The time of receipt; nil for the time of issue.
    ///   - expect: The expected verdict.
    public func record(
        id: String, keyID: String? = nil, app: String? = nil, receivedAt: Date? = nil,
        expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        let clientData: (String, RecordValue.Content) =
            switch clientData {
            case .bytes(let challenge): ("challenge", .base64(challenge))
            case .hash(let hash): ("clientDataHash", .base64(hash))
            }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("app-attest.attestation"), app: app, receivedAt: receivedAt ?? mintedAt,
            evidence: RecordObject([
                ("keyId", keyID.map { .text($0) } ?? .base64(self.keyID)), ("attestation", .base64(attestation)),
                clientData,
            ]),
            expect: expect)
    }
}

/// An assertion that a test device made.
public struct MintedAssertion: Sendable {
    /// The key ID, 32 bytes.
    public let keyID: [UInt8]
    /// The public point of the key that signed, 65 bytes.
    package let publicPoint: [UInt8]
    /// The input of `generateAssertion`.
    public let clientData: AppAttestClientData
    /// The encoded assertion.
    public let assertion: [UInt8]
    /// Its encoded authenticator data.
    package let authenticatorData: [UInt8]
    package let signature: [UInt8]

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - keyID: The text of `keyId`; nil for the base64 of the key ID.
    ///   - app: The policy's app; nil to let the verifier find it.
    ///   - challenge: The challenge that the client data must contain; nil for none.
    ///   - clientData: The client data that the server saw; nil for what the app signed.
    ///   - storedCounter: The key's stored counter, written to the record; nil for a record that relies on a ledger.
    ///   - publicKey: The key in a record with a stored counter: a point or SubjectPublicKeyInfo; nil for the true key.
    ///   - expect: The expected verdict.
    public func record(
        id: String, keyID: String? = nil, app: String? = nil, receivedAt: Date, challenge: [UInt8]? = nil,
        clientData: AppAttestClientData? = nil, storedCounter: UInt32? = nil, publicKey: [UInt8]? = nil,
        expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        var fields: [(String, RecordValue.Content)] = [
            ("keyId", keyID.map { .text($0) } ?? .base64(self.keyID)), ("assertion", .base64(assertion)),
        ]
        switch clientData ?? self.clientData {
        case .bytes(let bytes): fields.append(("clientData", .base64(bytes)))
        case .hash(let hash): fields.append(("clientDataHash", .base64(hash)))
        }
        if let challenge { fields.append(("challenge", .base64(challenge))) }
        if let storedCounter {
            fields.append(
                (
                    "key",
                    .object(
                        RecordObject([
                            ("publicKey", .base64(publicKey ?? publicPoint)),
                            ("counter", .number(String(storedCounter))),
                        ]))
                ))
        }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("app-attest.assertion"), app: app, receivedAt: receivedAt,
            evidence: RecordObject(fields), expect: expect)
    }
}
