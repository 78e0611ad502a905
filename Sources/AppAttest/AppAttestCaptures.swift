public import AssayCore

// What corpora of App Attest evidence are made of: which fields they may not want to keep, and what belongs together.

extension AppAttestEngine {
    /// The request that an assertion signs.
    public static let sensitiveFields = [
        SensitiveField(
            "clientData", of: AssertionCheck.kind, substitute: .sha256(as: "clientDataHash"),
            reveals: "the request that the app signed")
    ]

    /// The key, whose enrolment and counter the ledger keeps.
    public static func orderingKey(of record: EvidenceRecord) -> String? {
        guard case .text(let keyID)? = record.evidence["keyId"]?.content else { return nil }
        return "\(Configuration.engine) \(keyID)"
    }
}
