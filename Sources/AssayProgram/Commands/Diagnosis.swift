import Assay
import AssayCore
import AssayInspection
import AssayPrimitives

/// What a client or a server probably did wrong, for the person at the command line. It runs after the verdict and changes none.
enum Diagnosis {
    /// The sentences about a rejection; none for an acceptance.
    static func sentences(
        on record: EvidenceRecord, _ verdict: Verdict, _ verifier: Verifier
    ) async -> [String] {
        guard verdict.outcome == .reject, let check = verdict.failed.first,
            let engine = EngineRegistry.current.engine(for: record.kind) as? any InspectableEngine.Type
        else { return [] }
        var key: EnrolledKey?
        if case .text(let text)? = record.evidence["keyId"]?.content, let bytes = try? Base64.decode(text, .standard) {
            // Without the ledger's answer the record's own key counts, if it has one.
            key = try? await verifier.ledger.enrolledKey(withID: bytes)
        }
        return engine.diagnose(RejectedEvidence(record, failing: check, enrolledKey: key?.publicKey))
    }
}
