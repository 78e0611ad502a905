package import AssayCore

// The properties of Play Integrity records that captures and replays need.

extension PlayIntegrityEngine {
    /// The tokens. With the keys or Google's API, a reader learns the device's labels and the user's licence.
    package static let sensitiveFields =
        [
            SensitiveField(
                "token", of: .playIntegrityClassic,
                reveals: "the device, its licence and what runs on it, to a holder of the keys"),
            SensitiveField(
                "token", of: .playIntegrityStandard,
                reveals: "the device, its licence and what runs on it, to anyone who may ask Google"),
        ] + SignedRequest.sensitiveFields(of: .playIntegrityRequest)

    /// Google's answer, the package, and what binds the answer to a request.
    package static func retainedFields(of kind: EvidenceKind) -> [String] {
        switch kind {
        case .playIntegrityClassic: ["packageName", "decoded", "nonce", "challenge", "requestHash"]
        case .playIntegrityStandard: ["packageName", "decoded", "requestHash"]
        case .playIntegrityRequest: ["method", "decoded"]
        default: []
        }
    }

    /// Google's answer in place of the token, or beside the request that carries it. An answer that came with the evidence and was
    /// refused is left out: a replay, which does not ask Google, would take it.
    package static func captured(_ evidence: RecordObject, judged verdict: Verdict) -> RecordObject {
        guard let body = verdict.serviceAnswer,
            let answer = try? JSONReader.readObject(body, limit: InputLimits.integrityAnswer)
        else {
            guard verdict.check(.playIntegrityDecode)?.finding?.code == CheckCode.answerByCaller.name else {
                return evidence
            }
            return RecordObject(
                evidence.members.filter { !$0.name.isByteEqual(to: "decoded") }, offset: evidence.offset)
        }
        let others = evidence.members.filter { !["token", "decoded"].containsBytes(of: $0.name) }
        let decoded = RecordObject([("decoded", .object(answer))]).members
        return RecordObject(others + decoded, offset: evidence.offset)
    }

    /// The nonce or request hash. An accepted token contains it, so two uses of one token have the same value.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        if record.kind == .playIntegrityRequest {
            return PlayIntegrityRequest.tokenDigest(of: record).map { "\(Configuration.engine) request \($0)" }
        }
        let fields = record.kind == EvidenceKind.playIntegrityClassic ? ["nonce", "challenge"] : ["requestHash"]
        guard case .text(let request)? = fields.lazy.compactMap({ record.evidence[$0]?.content }).first else {
            return nil
        }
        return "\(Configuration.engine) \(request)"
    }
}

extension Assessment {
    /// The assessment with the answer that it rests on, if Google gave it to this process.
    func resting(on answer: IntegrityAnswer) -> Assessment {
        var assessment = self
        assessment.serviceAnswer = answer.received
        return assessment
    }
}
