import Assay
import AssayCore

extension NoEvidenceEngine: MutatedEngine {
    static let dontCares: [DontCare] = [
        DontCare(
            "statement", EvidenceKind.noEvidence,
            reason:
                "nothing authenticates a statement: every well-formed one counts whose reason and versions the policy accepts, and its "
                + "verdict says so"
        ) { _ in true }
    ]
}
