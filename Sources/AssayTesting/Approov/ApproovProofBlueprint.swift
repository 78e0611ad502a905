public import AssayCore
public import FoundationEssentials

/// A measurement proof to mint (Approov, Offline Security Mode). The initial values are genuine.
public struct ApproovProofBlueprint: Sendable {
    /// The reference measurements of the verifier.
    public enum Source: Sendable {
        /// Measurements taken from an earlier token.
        case measurements(ApproovTestMeasurements)
        /// The token that carries them.
        case token(String)
        /// The measurement token that the backend sealed for the hardware.
        case sealed(String)
    }

    /// The nonce from the hardware, 16 bytes.
    package var nonce: [UInt8]
    /// The proof, 32 bytes.
    public var proof: [UInt8]
    /// The reference measurements of the verifier.
    package var source: Source
    /// The measurement that the verifier demands, `integrity` or `device`; nil for either.
    package var measurement: String?

    /// The proof of the app's integrity.
    ///
    /// - Parameter source: The reference measurements of the verifier; nil for `measurements`.
    public init(integrityOf measurements: ApproovTestMeasurements, nonce: [UInt8], source: Source? = nil) {
        self.init(
            nonce: nonce, proof: measurements.proof(nonce: nonce, of: measurements.integrity ?? []),
            source: source ?? .measurements(measurements))
    }

    /// The proof of the device. Parameters as for ``init(integrityOf:nonce:source:)``.
    public init(deviceOf measurements: ApproovTestMeasurements, nonce: [UInt8], source: Source? = nil) {
        self.init(
            nonce: nonce, proof: measurements.proof(nonce: nonce, of: measurements.device ?? []),
            source: source ?? .measurements(measurements))
    }

    package init(nonce: [UInt8], proof: [UInt8], source: Source) {
        (self.nonce, self.proof, self.source) = (nonce, proof, source)
    }

    /// The evidence record. Parameters as for ``MintedApproovToken/record(id:binding:address:app:receivedAt:expect:)``.
    public func record(
        id: String, app: String? = nil, receivedAt: Date, expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        var evidence: [(String, RecordValue.Content)] = [("nonce", .base64(nonce)), ("proof", .base64(proof))]
        switch source {
        case .measurements(let measurements): evidence.append(("measurements", measurements.recordContent))
        case .token(let token): evidence.append(("token", .text(token)))
        case .sealed(let sealed): evidence.append(("sealed", .text(sealed)))
        }
        if let measurement { evidence.append(("measurement", .text(measurement))) }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("approov.proof"), app: app, receivedAt: receivedAt,
            evidence: RecordObject(evidence), expect: expect)
    }
}
