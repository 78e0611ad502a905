package import AssayCore

// The properties of App Attest records for captures and replays.

extension AppAttestEngine {
    /// The client data of an assertion: the request that the app signed.
    package static let sensitiveFields =
        [
            SensitiveField(
                "clientData", of: .appAttestAssertion, substitute: .sha256(as: "clientDataHash"),
                reveals: "the request that the app signed", checks: [.appAttestAssertionClientData])
        ] + SignedRequest.sensitiveFields(of: .appAttestRequest)

    /// The key, Apple's attestations and receipts, assertions, and challenges.
    package static func retainedFields(of kind: EvidenceKind) -> [String] {
        switch kind {
        case .appAttestAttestation: ["keyId", "attestation", "challenge", "clientDataHash"]
        case .appAttestAssertion: ["keyId", "assertion", "clientDataHash", "challenge", "key"]
        case .appAttestReceipt: ["keyId", "receipt"]
        case .appAttestRequest: ["method", "key"]
        default: []
        }
    }

    /// The key identifier: enrolment and counter are per key.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        if record.kind == .appAttestRequest {
            return AppAttestRequest.keyID(of: record).map { "\(Configuration.engine) \($0)" }
        }
        guard case .text(let keyID)? = record.evidence["keyId"]?.content else { return nil }
        return "\(Configuration.engine) \(keyID)"
    }
}
