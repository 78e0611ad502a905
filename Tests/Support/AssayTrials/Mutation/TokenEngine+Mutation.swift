import Assay
import AssayCore
import AssayTokens

extension TokenEngine: MutatedEngine {
    static let dontCares: [DontCare] = [
        DontCare(
            "unread-request-part", EvidenceKind.assayToken,
            reason:
                "a token is about the fields Authorization and DPoP, the method, and the target without its query; a bearer token "
                + "about no request at all"
        ) { mutant in
            guard let old = view(of: mutant.vector.record), let new = view(of: mutant.record) else { return false }
            return old == new
        },
        DontCare(
            "whole-request", EvidenceKind.assayToken,
            reason: "all that is read comes from one other genuine request"
        ) { mutant in
            guard let donor = mutant.donor, let own = view(of: donor.record), let new = view(of: mutant.record) else {
                return false
            }
            return own == new
        },
    ]

    /// What a verifier reads of a request.
    private struct View: Equatable {
        let token: String
        let isBound: Bool
        let proofs: [String]
        let method: String?
        let target: ProofTarget?
    }

    private static func view(of record: EvidenceRecord) -> View? {
        guard let request = try? SignedRequest(RecordFields(record.evidence, path: "evidence")),
            let presentation = try? TokenPresentation(request)
        else { return nil }
        let isBound = presentation.scheme == .dpop
        return View(
            token: presentation.token, isBound: isBound, proofs: presentation.proofs,
            method: isBound ? request.method : nil, target: isBound ? ProofTarget(request.targetURI) : nil)
    }
}
