import Assay
import AssayCore

extension CertificateEngine: MutatedEngine {
    static let dontCares: [DontCare] = [
        DontCare(
            "carried-evidence", EvidenceKind.mitmCertificate,
            reason:
                "the engine of the carried kind judges it, under the don't-cares of that kind: its own vectors are changed, too"
        ) { mutant in mutant.path.description.hasPrefix("binding.evidence.") },
        DontCare(
            "presented", EvidenceKind.mitmCertificate,
            reason:
                "what the host presented is an argument of a replay, not evidence: one digest of each pair is compared"
        ) { mutant in mutant.path.description.hasPrefix("presented[") },
        DontCare(
            "further-certificate", EvidenceKind.mitmCertificate,
            reason:
                "the evidence covers the leaf; other certificates only lead from it to a pinned key, by their signatures"
        ) { mutant in mutant.path.description.hasPrefix("chain[") && mutant.path.description != "chain[0]" },
    ]
}
