import Assay
import AssayCore

/// Changed evidence, with its original.
struct Mutant: Sendable {
    let vector: AcceptedVector
    /// The changed field, in words.
    let field: String
    /// The path of the changed field.
    let path: RecordPath
    /// The change, in words.
    let change: String
    let record: EvidenceRecord
    let variant: PolicyVariant
    /// The vector that supplied a spliced part; nil for changed bytes.
    var donor: AcceptedVector?

    /// The texts at a path in the original and in the changed record.
    func texts(_ path: String) -> (old: String, new: String)? {
        guard case .text(let old)? = vector.record.evidence[path]?.content,
            case .text(let new)? = record.evidence[path]?.content
        else { return nil }
        return (old, new)
    }
}

/// A difference that may be accepted because no requirement depends on it, and the reason.
///
/// ``DontCare/all`` is the full list. Any other accepted mutant is a wrong acceptance.
struct DontCare: Sendable {
    /// The name of the rule in tables.
    let name: String
    /// The kinds of evidence to which the rule applies.
    let kinds: [EvidenceKind]
    /// The reason why acceptance is correct.
    let reason: String
    let covers: @Sendable (Mutant) -> Bool

    init(
        _ name: String, _ kinds: EvidenceKind..., reason: String, covers: @escaping @Sendable (Mutant) -> Bool
    ) {
        self.name = name
        self.kinds = kinds
        self.reason = reason
        self.covers = covers
    }

    /// The rule that permits the acceptance of a mutant; nil for none.
    static func rule(for mutant: Mutant) -> DontCare? {
        all.first { $0.kinds.contains(mutant.record.kind) && $0.covers(mutant) }
    }
}
