/// What a proof is about.
public enum ApproovMeasurement: String, Sendable, CaseIterable {
    /// The integrity of the app: `imh`.
    case integrity
    /// The device: `dmh`.
    case device
}

/// A measurement proof to be verified, as offline hardware gets it from an app.
public struct ApproovProofInput: Sendable {
    /// What the proof is held against.
    public enum Source: Sendable {
        /// Measurements that were taken from a token when it was verified.
        case measurements(ApproovClaims.Measurements)
        /// The token that carries them, which is verified first, without a request: of an API with bindings the caller
        /// verifies the token with its request, and takes the measurements from the verdict.
        case token(String)
    }

    /// The nonce that the hardware gave out, 16 bytes.
    public let nonce: [UInt8]
    /// The proof, 32 bytes.
    public let proof: [UInt8]
    /// What it is held against.
    public let source: Source
    /// Which measurement it must be of, and nil for either.
    public let measurement: ApproovMeasurement?

    /// Composes the input of a verification.
    public init(nonce: [UInt8], proof: [UInt8], source: Source, measurement: ApproovMeasurement? = nil) {
        self.nonce = nonce
        self.proof = proof
        self.source = source
        self.measurement = measurement
    }
}
