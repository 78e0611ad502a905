public import AssayCore
public import AssayInspection

extension PlayIntegrityEngine {
    /// The formats of the platform.
    public static let formats: [any BlobFormat.Type] = []

    /// The format of a field of a record.
    public static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? { nil }

    /// A record of a blob that was found alone.
    public static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? { nil }
}
