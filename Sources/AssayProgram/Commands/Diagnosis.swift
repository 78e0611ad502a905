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
        let tag = Self.name(of: engine)
        var name = RequestMistakes.keyID(of: record, tag: tag)
        if case .text(let text)? = record.evidence["keyId"]?.content { name = text }
        var key: EnrolledKey?
        if let name, let bytes = try? Base64.decode(name, .standard) {
            // Without the ledger's answer the record's own key counts, if it has one.
            key = try? await verifier.ledger.enrolledKey(withID: bytes)
        }
        var others: [EnrolledKey] = []
        if let account = record.account ?? key?.account, let ledger = verifier.ledger as? any LedgerAdministration {
            let keys = try? await ledger.keys(of: account)
            others = (keys ?? []).filter {
                $0.identifier != key?.identifier && $0.identifier.engine == tag
            }
        }
        return engine.diagnose(
            RejectedEvidence(
                record, failing: check, enrolledKey: key?.publicKey, otherKeys: others, subject: verdict.subject))
    }

    private static func name<Engine: InspectableEngine>(of engine: Engine.Type) -> String {
        Engine.Configuration.engine
    }
}
