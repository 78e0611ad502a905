/// A field of evidence that identifies a person or authorises its holder. A capture can omit it.
package struct SensitiveField: Sendable, Equatable {
    /// A replacement of the field after which the record can still be judged.
    package enum Substitute: Sendable, Equatable {
        /// The SHA-256 digest of the field's bytes, as standard base64, under another field name of the kind.
        case sha256(as: String)
        /// None: the record cannot be judged without the field.
        case none
    }

    /// The kind of evidence.
    package let kind: EvidenceKind
    /// The field's name in the evidence.
    package let name: String
    /// Its replacement.
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
