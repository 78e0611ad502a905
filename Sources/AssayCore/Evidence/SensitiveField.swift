package import AssayPrimitives

/// A field of evidence that identifies a person or authorises its holder. A capture can omit it.
package struct SensitiveField: Sendable {
    /// A replacement of the field after which the record can still be judged.
    package enum Substitute: Sendable, Equatable {
        /// The SHA-256 digest of the field's bytes, as standard base64, under another field name of the kind.
        case sha256(as: String)
        /// None: the record cannot be judged without the field.
        case none
    }

    package let kind: EvidenceKind
    /// The field's name in the evidence.
    package let name: String
    package let substitute: Substitute
    /// What it reveals, for documentation.
    package let reveals: String
    /// Which values are sensitive, for documentation, such as "that names a device"; nil for all.
    package let condition: String?
    /// The checks that read the field itself, and cannot be judged by its substitute.
    package let checks: [CheckID]
    /// Whether a value is sensitive.
    package let isSensitive: @Sendable (RecordValue) -> Bool

    /// Describes a field all of whose values are sensitive.
    package init(
        _ name: String, of kind: EvidenceKind, substitute: Substitute = .none, reveals: String, checks: [CheckID] = []
    ) {
        self.init(name, of: kind, substitute: substitute, reveals: reveals, condition: nil, checks: checks) { _ in true
        }
    }

    /// Describes a field some of whose values are sensitive.
    package init(
        _ name: String, of kind: EvidenceKind, substitute: Substitute = .none, reveals: String, condition: String?,
        checks: [CheckID] = [],
        isSensitive: @escaping @Sendable (RecordValue) -> Bool
    ) {
        (self.kind, self.name, self.substitute, self.reveals) = (kind, name, substitute, reveals)
        (self.condition, self.checks, self.isSensitive) = (condition, checks, isSensitive)
    }
}
