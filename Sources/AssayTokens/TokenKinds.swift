public import AssayCore

extension EvidenceKind {
    /// A token that Assay issued after an attestation, with the proof of its key if it is bound to one.
    public static let assayToken = EvidenceKind("assay.token")
}
