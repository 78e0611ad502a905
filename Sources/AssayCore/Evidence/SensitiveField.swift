/// A field of evidence that identifies a person or authorises its holder. A capture can leave it out.
package struct SensitiveField: Sendable, Equatable {
    /// What can replace the field, so that the record can still be judged.
    package enum Substitute: Sendable, Equatable {
        /// The SHA-256 digest of its bytes, as standard base64, under another name that the kind knows.
        case sha256(as: String)
        /// Nothing: without the field, the record cannot be judged.
        case none
    }

    /// The kind of evidence.
    package let kind: EvidenceKind
    /// The field's name in the evidence.
    package let name: String
    /// What can replace it.
    package let substitute: Substitute
    /// What it reveals, for documentation.
    package let reveals: String

    /// Describes a field.
    package init(_ name: String, of kind: EvidenceKind, substitute: Substitute, reveals: String) {
        self.kind = kind
        self.name = name
        self.substitute = substitute
        self.reveals = reveals
    }
}
