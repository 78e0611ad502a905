public import AssayCore
public import FoundationEssentials

/// An attestation that a test authority minted.
public struct MintedAttestation: Sendable {
    /// The key ID, 32 bytes. Apps send it in base64.
    public let keyID: [UInt8]
    /// The attested public point, 65 bytes.
    package let publicPoint: [UInt8]
    /// What the app handed to `attestKey`.
    public package(set) var clientData: AppAttestClientData
    /// The attestation object, encoded.
    public let attestation: [UInt8]
    /// The authenticator data in it, encoded.
    package let authenticatorData: [UInt8]
    /// The certificates in it, in DER.
    package let certificates: [[UInt8]]
    /// The receipt in it.
    public let receipt: [UInt8]?
    /// The time of issue.
    package let mintedAt: Date

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - keyID: The text of `keyId`, and nil for the base64 of the key ID.
    ///   - app: The policy's app, and nil to have it found.
    ///   - receivedAt: When the server got it, and nil for the time of issue.
    ///   - expect: What the record's verdict has to be.
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
    /// What the app handed to `generateAssertion`.
    public let clientData: AppAttestClientData
    /// The assertion, encoded.
    public let assertion: [UInt8]
    /// The authenticator data in it, encoded.
    package let authenticatorData: [UInt8]
    /// The signature in it.
    package let signature: [UInt8]

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - keyID: The text of `keyId`, and nil for the base64 of the key ID.
    ///   - app: The policy's app, and nil to have it found.
    ///   - receivedAt: When the server got it.
    ///   - challenge: The challenge that the client data has to hold, and nil for none.
    ///   - clientData: What the server saw, and nil for what the app signed.
    ///   - storedCounter: The counter stored with the key, which the record then carries; nil for a record that
    ///     relies on a ledger.
    ///   - publicKey: The key that such a record carries: a point or a SubjectPublicKeyInfo; nil for the true point.
    ///   - expect: What the record's verdict has to be.
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
