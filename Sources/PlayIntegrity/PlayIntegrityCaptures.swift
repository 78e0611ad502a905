package import AssayCore

// What captures and replays need to know of Play Integrity records.

extension PlayIntegrityEngine {
    /// The tokens: a holder of the keys, or a caller of Google's API, reads the device and its licence in them.
    package static let sensitiveFields = [
        SensitiveField(
            "token", of: EvidenceKind.playIntegrityClassic, substitute: .none,
            reveals: "the device, its licence and what runs on it, to a holder of the keys"),
        SensitiveField(
            "token", of: EvidenceKind.playIntegrityStandard, substitute: .none,
            reveals: "the device, its licence and what runs on it, to anyone who may ask Google"),
    ]

    /// The nonce or request hash. An accepted token carries it, so two uses of one token have the same.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        let field = record.kind == EvidenceKind.playIntegrityClassic ? "nonce" : "requestHash"
        guard case .text(let request)? = record.evidence[field]?.content else { return nil }
        return "\(Configuration.engine) \(request)"
    }
}
