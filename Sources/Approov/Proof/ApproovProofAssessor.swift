package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Assesses measurement proofs: a pure function of its arguments.
package enum ApproovProofAssessor {
    /// The length of a nonce in bytes.
    static let nonceLength = 16
    /// The length of a proof in bytes.
    static let proofLength = 32

    /// Compares a proof with the measurements of a verified token. No key is needed.
    ///
    /// The caller must check that the nonce is the one that the hardware gave out, and is used once.
    package static func assess(
        _ input: ApproovProofInput, measurements: ApproovClaims.Measurements, expectations: ApproovExpectations,
        now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: 1)
        let proven = measure(input, measurements, &run)
        return assessment(expectations, run.results, proven.map { ApproovSubject(measurement: $0) })
    }

    /// Runs the check of the measurement.
    static func measure(
        _ input: ApproovProofInput, _ measurements: ApproovClaims.Measurements?, _ run: inout CheckRun
    ) -> ApproovMeasurement? {
        let proven = run.authenticity(ApproovCheck.measurement) { () throws(CheckFailure) in
            try proof(input, measurements)
        }
        if let proven {
            run.remark(Finding("\(proven.rawValue)-proven", "the proof is of the \(proven.rawValue) measurement"))
        }
        return proven
    }

    static func assessment(
        _ expectations: ApproovExpectations, _ results: [CheckResult], _ subject: ApproovSubject?
    ) -> Assessment {
        Assessment(
            kind: ApproovCheck.proofKind, app: expectations.app, checks: results, ledgerChecks: [], effects: [],
            subject: subject, testAuthority: nil)
    }

    /// The measurement that the proof proves: proof = HMAC-SHA-256(mpk, nonce || measurement).
    private static func proof(
        _ input: ApproovProofInput, _ measurements: ApproovClaims.Measurements?
    ) throws(CheckFailure) -> ApproovMeasurement {
        for (bytes, length, name) in [(input.nonce, nonceLength, "nonce"), (input.proof, proofLength, "proof")] {
            guard bytes.count == length else {
                throw CheckFailure("wrong-length", "the \(name) has \(bytes.count) bytes, expected \(length)")
            }
        }
        guard let measurements else {
            throw CheckFailure(
                "measurements-missing", "the token carries no measurements; was it asked for with ?measurement")
        }
        guard let key = measurements.proofKey else {
            throw CheckFailure("proof-key-missing", "there is no key of proofs, mpk")
        }
        let candidates: [(ApproovMeasurement, SecretBytes?)] = [
            (.integrity, measurements.integrity), (.device, measurements.device),
        ]
        let asked = candidates.filter { input.measurement == nil || input.measurement == $0.0 }
        let there = asked.compactMap { candidate in candidate.1.map { (candidate.0, $0) } }
        guard !there.isEmpty else {
            throw CheckFailure(
                "measurement-missing",
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
            "proof-differs",
            "the proof is none of the \(there.map(\.0.rawValue).joined(separator: " or the ")) measurement for this nonce: "
                + "the app or the device has changed, or the proof is for another nonce")
    }
}
