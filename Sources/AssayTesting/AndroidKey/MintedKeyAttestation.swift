public import AssayCore
public import FoundationEssentials

/// A key attestation that a test authority minted.
public struct MintedKeyAttestation: Sendable {
    /// The certificates, DER, leaf first: what `KeyStore.getCertificateChain` returns to the app.
    public let certificates: [[UInt8]]
    /// The challenge that the app passed.
    public let challenge: [UInt8]
    /// The attested public key: SubjectPublicKeyInfo, DER.
    public let publicKey: [UInt8]
    package let mintedAt: Date

    /// The certificates in PEM, leaf first.
    public var pem: String { certificates.map { PEM.encode($0, label: "CERTIFICATE") }.joined() }

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that the server expects; nil for the true one.
    ///   - publicKey: The key that the server expects, SubjectPublicKeyInfo; nil for none.
    ///   - app: The policy's app; nil to let the verifier find it.
    ///   - receivedAt: The time of receipt; nil for the time of issue.
    ///   - expect: The expected verdict.
    public func record(
        id: String, challenge: [UInt8]? = nil, publicKey: [UInt8]? = nil, app: String? = nil,
        receivedAt: Date? = nil, expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        var fields: [(String, RecordValue.Content)] = [
            ("certificates", .array(certificates.map { RecordValue(.base64($0), offset: 0) })),
            ("challenge", .base64(challenge ?? self.challenge)),
        ]
        if let publicKey { fields.append(("publicKey", .base64(publicKey))) }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("android-key.attestation"), app: app, receivedAt: receivedAt ?? mintedAt,
            evidence: RecordObject(fields), expect: expect)
    }
}
