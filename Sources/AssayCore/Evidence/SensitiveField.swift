/// A field of a kind's evidence that tells something about a person or lets its holder act for one, so that captures may
/// not want to keep it.
public struct SensitiveField: Sendable, Equatable {
    /// What can stand in for the field, so that the record can still be judged.
    public enum Substitute: Sendable, Equatable {
        /// The SHA-256 digest of its bytes, as standard base64, under another name that the kind knows.
        case sha256(as: String)
        /// Nothing: without the field, the record can be looked at and not judged.
        case none
    }

    /// The kind of evidence.
    public let kind: EvidenceKind
    /// The field's name in the evidence.
    public let name: String
    /// What can stand in for it.
    public let substitute: Substitute
    /// What it may tell, for documentation.
    public let reveals: String

    /// Describes a field.
    public init(_ name: String, of kind: EvidenceKind, substitute: Substitute, reveals: String) {
        self.kind = kind
        self.name = name
        self.substitute = substitute
        self.reveals = reveals
    }
}
