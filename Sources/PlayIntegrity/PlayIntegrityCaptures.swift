public import AssayCore

// What corpora of Play Integrity evidence are made of: which fields they may not want to keep, and what belongs together.

extension PlayIntegrityEngine {
    /// The tokens, which tell of the device and its account whoever can open them.
    public static let sensitiveFields = [
        SensitiveField(
            "token", of: PlayIntegrityCheck.classicKind, substitute: .none,
            reveals: "the device, its licence and what runs on it, to whoever has the keys"),
        SensitiveField(
            "token", of: PlayIntegrityCheck.standardKind, substitute: .none,
            reveals: "the device, its licence and what runs on it, to whoever may ask Google"),
    ]

    /// What the token was requested with. An accepted one carries it, so that two uses of one token have the same.
    public static func orderingKey(of record: EvidenceRecord) -> String? {
        let field = record.kind == PlayIntegrityCheck.classicKind ? "nonce" : "requestHash"
        guard case .text(let request)? = record.evidence[field]?.content else { return nil }
        return "\(Configuration.engine) \(request)"
    }
}
