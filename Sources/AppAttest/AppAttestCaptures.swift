package import AssayCore

// The properties of App Attest records for captures and replays.

extension AppAttestEngine {
    /// The client data of an assertion: the request that the app signed.
    package static let sensitiveFields = [
        SensitiveField(
            "clientData", of: EvidenceKind.appAttestAssertion, substitute: .sha256(as: "clientDataHash"),
            reveals: "the request that the app signed")
    ]

    /// The key identifier: enrolment and counter are per key.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        guard case .text(let keyID)? = record.evidence["keyId"]?.content else { return nil }
        return "\(Configuration.engine) \(keyID)"
    }
}
