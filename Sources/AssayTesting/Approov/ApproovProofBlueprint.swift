public import AssayCore
public import FoundationEssentials

/// A measurement proof to be minted (Approov, Offline Security Mode). As initialised it is a genuine one.
public struct ApproovProofBlueprint: Sendable {
    /// What the proof is held against.
    public enum Source: Sendable {
        /// Measurements that were taken from a token before.
        case measurements(ApproovTestMeasurements)
        /// The token that carries them.
        case token(String)
    }

    /// What the hardware gave out: 16 bytes.
    package var nonce: [UInt8]
    /// The proof: 32 bytes.
    public var proof: [UInt8]
    /// What it is held against.
    package var source: Source
    /// Which measurement the verifier demands, `integrity` or `device`, and nil for either.
    package var measurement: String?

    /// The proof of the app's integrity.
    ///
    /// - Parameters:
    ///   - nonce: what the hardware gave out, 16 bytes.
    ///   - measurements: what the app measured.
    ///   - source: what the proof is held against; nil for the same measurements.
    public init(integrityOf measurements: ApproovTestMeasurements, nonce: [UInt8], source: Source? = nil) {
        self.init(
            nonce: nonce, proof: measurements.proof(nonce: nonce, of: measurements.integrity ?? []),
            source: source ?? .measurements(measurements))
    }

    /// The proof of the device. Parameters as of ``init(integrityOf:nonce:source:)``.
    public init(deviceOf measurements: ApproovTestMeasurements, nonce: [UInt8], source: Source? = nil) {
        self.init(
            nonce: nonce, proof: measurements.proof(nonce: nonce, of: measurements.device ?? []),
            source: source ?? .measurements(measurements))
    }

    /// Composes any proof.
    package init(nonce: [UInt8], proof: [UInt8], source: Source) {
        self.nonce = nonce
        self.proof = proof
        self.source = source
    }

    /// The evidence record. Parameters as of
    /// ``MintedApproovToken/record(id:binding:address:app:receivedAt:expect:)``.
    public func record(
        id: String, app: String? = nil, receivedAt: Date, expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        var evidence: [(String, RecordValue.Content)] = [("nonce", .base64(nonce)), ("proof", .base64(proof))]
        switch source {
        case .measurements(let measurements): evidence.append(("measurements", measurements.recordContent))
        case .token(let token): evidence.append(("token", .text(token)))
        }
        if let measurement { evidence.append(("measurement", .text(measurement))) }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("approov.proof"), app: app, receivedAt: receivedAt,
            evidence: RecordObject(evidence), expect: expect)
    }
}
