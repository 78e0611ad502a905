import Assay
import AssayCore

/// Changed evidence, with what it was made of.
struct Mutant: Sendable {
    let vector: AcceptedVector
    /// Which field was changed, in words.
    let field: String
    /// Where it stands.
    let path: RecordPath
    /// What was done to it, in words.
    let change: String
    let record: EvidenceRecord
    let variant: PolicyVariant
    /// The vector that a part was taken from, and nil where bytes were changed.
    var donor: AcceptedVector?

    /// The value at a path of the original and of the changed record.
    func texts(_ path: String) -> (old: String, new: String)? {
        guard case .text(let old)? = vector.record.evidence[path]?.content,
            case .text(let new)? = record.evidence[path]?.content
        else { return nil }
        return (old, new)
    }
}

/// A difference that may be accepted, because nothing that is demanded depends on it, and why.
///
/// All that there are stand in ``DontCare/all``; whatever else is accepted is a wrong acceptance.
struct DontCare: Sendable {
    /// The rule's name in tables.
    let name: String
    /// The kinds of evidence that it is about.
    let kinds: [EvidenceKind]
    /// Why accepting is right.
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

    /// The rule that lets a mutant pass, and nil when none does.
    static func rule(for mutant: Mutant) -> DontCare? {
        all.first { $0.kinds.contains(mutant.record.kind) && $0.covers(mutant) }
    }
}
