public import AssayCore

/// A measurement that a proof can prove.
public enum ApproovMeasurement: String, Sendable, CaseIterable {
    /// The integrity of the app: `imh`.
    case integrity
    /// The device: `dmh`.
    case device
}

/// A measurement proof to verify, as an app sends it to offline hardware.
public struct ApproovProofInput: Sendable {
    /// The source of the measurements.
    public enum Source: Sendable {
        /// The measurements of a verified token.
        case measurements(ApproovClaims.Measurements)
        /// The token with the measurements. It is verified without a request. For an API with bindings, verify the
        /// token with its request and take the measurements from the verdict.
        case token(String)
        /// The measurement token that the backend sealed for the hardware; see ``MeasurementToken``. A key of the policy
        /// opens it.
        case sealed(String)
    }

    /// The nonce from the hardware, 16 bytes.
    package let nonce: [UInt8]
    /// The proof, 32 bytes.
    package let proof: [UInt8]
    package let source: Source
    /// The measurement that the proof must prove; nil for either.
    package let measurement: ApproovMeasurement?

    /// Whether an Approov token carries the measurements: only a token can belong to an account.
    var hasToken: Bool {
        switch source {
        case .token: true
        case .measurements, .sealed: false
        }
    }

    /// Creates the input of a verification.
    public init(nonce: [UInt8], proof: [UInt8], source: Source, measurement: ApproovMeasurement? = nil) {
        (self.nonce, self.proof, self.source, self.measurement) = (nonce, proof, source, measurement)
    }
}

extension CheckID {
    /// The nonce is a challenge of the ledger.
    public static let approovProofChallenge = CheckID("approov.proof.challenge")
}

extension ApproovCheck {
    static let proofChallengeEntry = CheckDefinition(
        .approovProofChallenge, .ledger,
        proves: "The ledger issued the nonce for proofs of this app, and it was not used before.",
        stops: "Replay of a recorded proof.",
        lookAt: "Whether the nonce comes from `assay challenge issue --for approov.proof`, and from the same ledger.",
        source: "Approov, Offline Security Mode, Remote Hardware Integration",
        remedy: .newChallenge, codes: CheckCode.ofChallenge)
}

extension LedgerEffect {
    static func consumeNonce(_ nonce: [UInt8], app: String) -> LedgerEffect {
        LedgerEffect(
            .approovProofChallenge,
            .consumeChallenge(value: nonce, app: app, purpose: ChallengePurpose(EvidenceKind.approovProof)))
    }
}
