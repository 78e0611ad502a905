public import AssayCore
package import FoundationEssentials

extension CheckID {
    /// The measurement equals the one in the token.
    public static let approovProofMeasurement = CheckID("approov.proof.measurement")
}

extension ApproovCheck {
    static let measurementEntry = CheckDefinition(
        .approovProofMeasurement, .gate,
        proves: """
            The app still measures what the token carried: the proof is the HMAC of the hardware's nonce and one of \
            its measurements under the key of proofs.
            """,
        stops: "Apps that were changed, or moved to another device, since they were attested; proofs for other nonces.",
        lookAt: """
            Whether the app was updated, which changes its integrity measurement; whether nonce and measurements are \
            those of this device.
            """,
        source: "Approov, Offline Security Mode, Checking Measurement Proofs",
        remedy: .retry,
        codes: [
            .proofLength, .measurementsMissing, .measurementsNotEncrypted, .proofKeyMissing, .measurementMissing,
            .proofDiffers,
            .integrityProven, .deviceProven,
        ])
}

/// Assesses measurement proofs: a pure function of its arguments.
package enum ApproovProofAssessor {
    static let nonceLength = 16
    static let proofLength = 32

    /// Compares a proof with the measurements of a verified token. Needs no key.
    package static func assess(
        _ input: ApproovProofInput, measurements: ApproovClaims.Measurements, expectations: ApproovExpectations,
        now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: 1)
        let proven = measure(input, measurements, &run)
        return assessment(input, expectations, run, proven.map { ApproovSubject(measurement: $0) })
    }

    /// Opens a measurement token and compares the proof with its measurements.
    static func assess(
        _ input: ApproovProofInput, sealed text: String, keys: KeySelection<ApproovHardwareKey>,
        expectations: ApproovExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: 3)
        let sealed = run.authenticity(.approovProofSealed, try SealedMeasurements(opening: text, with: keys, at: now))
        if let sealed { run.remark(Finding(.openedWithKey, "with key \(sealed.key.excerpt)")) }
        let proven = measure(input, sealed?.measurements, &run)
        return assessment(input, expectations, run, proven.map { ApproovSubject(measurement: $0) })
    }

    /// Compares the proof with the measurements of a token. The gates and claims of the token are already judged.
    static func assess(
        _ input: ApproovProofInput, with token: ApproovTokenAssessor.Outcome, _ expectations: ApproovExpectations,
        _ run: inout CheckRun
    ) -> Assessment {
        let isReadable = token.token.map { $0.form != .jwe } ?? false
        let proven = measure(
            input, token.token?.claims.measurements,
            isRefused: isReadable && expectations.configuration.proof.tokens == .encrypted, &run)
        var subject = ApproovSubject(token, expectations.addresses)
        subject?.measurement = proven
        return assessment(input, expectations, run, subject)
    }

    /// Runs the check of the measurement.
    /// - Parameter isRefused: Whether the policy refuses measurements of a signed, unencrypted token.
    private static func measure(
        _ input: ApproovProofInput, _ measurements: ApproovClaims.Measurements?, isRefused: Bool = false,
        _ run: inout CheckRun
    ) -> ApproovMeasurement? {
        let proven = run.authenticity(.approovProofMeasurement) { () throws(CheckFailure) in
            if isRefused, measurements != nil {
                throw CheckFailure(
                    .measurementsNotEncrypted,
                    "the token with the measurements is only signed, and the policy demands an encrypted one: each reader "
                        + "of the token has the key of proofs")
            }
            return try proof(input, measurements)
        }
        if let proven {
            run.remark(Finding(proven.provenCode, "the proof is of the \(proven.rawValue) measurement"))
        }
        return proven
    }

    private static func assessment(
        _ input: ApproovProofInput, _ expectations: ApproovExpectations, _ run: borrowing CheckRun,
        _ subject: ApproovSubject?
    ) -> Assessment {
        let isConsumed = expectations.configuration.proof.nonce == .ledger
        return Assessment(
            kind: EvidenceKind.approovProof, app: expectations.app, catalogue: ApproovCheck.catalogue,
            checks: run.results, ledgerChecks: isConsumed ? [CheckID.approovProofChallenge] : [],
            effects: isConsumed ? [.consumeNonce(input.nonce, app: expectations.app)] : [],
            confirmations: run.confirmations, subject: subject, testAuthority: nil)
    }

    /// The proven measurement: proof = HMAC-SHA-256(mpk, nonce || measurement).
    private static func proof(
        _ input: ApproovProofInput, _ measurements: ApproovClaims.Measurements?
    ) throws(CheckFailure) -> ApproovMeasurement {
        for (bytes, length, name) in [(input.nonce, nonceLength, "nonce"), (input.proof, proofLength, "proof")] {
            guard bytes.count == length else {
                throw CheckFailure(.proofLength, "the \(name) has \(bytes.count) bytes, expected \(length)")
            }
        }
        guard let measurements else {
            throw CheckFailure(
                .measurementsMissing, "the token carries no measurements; was it asked for with ?measurement")
        }
        guard let key = measurements.proofKey else {
            throw CheckFailure(.proofKeyMissing, "there is no key of proofs, mpk")
        }
        let candidates: [(ApproovMeasurement, SecretBytes?)] = [
            (.integrity, measurements.integrity), (.device, measurements.device),
        ]
        let asked = candidates.filter { input.measurement == nil || input.measurement == $0.0 }
        let there = asked.compactMap { candidate in candidate.1.map { (candidate.0, $0) } }
        guard !there.isEmpty else {
            throw CheckFailure(
                .measurementMissing,
                "there is no measurement of \(asked.map(\.0.rawValue).joined(separator: " or "))")
        }
        for (measurement, value) in there {
            var bytes = value.withUnsafeBytes { Array($0) }
            defer { SecretBytes.wipe(&bytes) }
            if ConstantTime.equals(HMAC.sha256(key: key, input.nonce[...], bytes[...]), input.proof) {
                return measurement
            }
        }
        throw CheckFailure(
            .proofDiffers,
            "the proof is none of the \(there.map(\.0.rawValue).joined(separator: " or the ")) measurement for this nonce: "
                + "the app or the device has changed, or the proof is for another nonce")
    }
}

extension ApproovMeasurement {
    /// The finding for a proof of this measurement.
    fileprivate var provenCode: CheckCode {
        switch self {
        case .integrity: .integrityProven
        case .device: .deviceProven
        }
    }
}

extension CheckCode {
    fileprivate static let proofLength = CheckCode(
        "wrong-length", "The nonce or the proof does not have its fixed length: compare the encoding of both.",
        remedy: .nothing)
    fileprivate static let measurementsMissing = CheckCode(
        "measurements-missing", "The token carries no measurements: the app must ask for it with `?measurement`.",
        remedy: .nothing)
    fileprivate static let measurementsNotEncrypted = CheckCode(
        "measurements-not-encrypted",
        "The token with the measurements is only signed, so that the key of proofs was readable: use encrypted tokens for it.",
        remedy: .nothing)
    fileprivate static let proofKeyMissing = CheckCode(
        "proof-key-missing", "The measurements have no key of proofs, `mpk`: no proof can be verified with them.",
        remedy: .nothing)
    fileprivate static let measurementMissing = CheckCode(
        "measurement-missing", "The measurement that the evidence names is not among those of the token.",
        remedy: .nothing
    )
    fileprivate static let proofDiffers = CheckCode(
        "proof-differs", "The app or the device has changed since attestation, or the proof is for another nonce.")
    fileprivate static let integrityProven = CheckCode(
        "integrity-proven", "The proof is of the app's integrity: no action.")
    fileprivate static let deviceProven = CheckCode(
        "device-proven",
        "The proof is of the device, and not of the app's integrity: check that this is what the caller wants.")
}
