import AssayCore
package import PlayIntegrity

extension PlayIntegrityEngine {
    /// Names the mistake that explains a nonce or a request hash that differs.
    package static func diagnose(_ rejected: RejectedEvidence) -> [String] {
        guard let details = (rejected.subject as? PlayIntegritySubject)?.payload.requestDetails else { return [] }
        switch rejected.check {
        case .playIntegrityNonce:
            guard let found = details.nonce.flatMap({ AnyBase64.decode($0) }), let text = text("nonce", rejected),
                let nonce = AnyBase64.decode(text)
            else { return [] }
            return [sentence(UsualMistakes(passing: nonce, named: "this nonce").all, makes: found, "nonce")]
        case .playIntegrityRequestHash:
            guard let found = details.requestHash, let hash = text("requestHash", rejected) else { return [] }
            // The same digest in another form, and then other uses of the text.
            let digest = AnyBase64.decode(hash) ?? Array(hash.utf8)
            let mistakes =
                UsualMistakes(passing: digest, named: "the bytes of this request hash").all
                + UsualMistakes(passing: Array(hash.utf8), named: "this request hash").all
            return [sentence(mistakes, makes: Array(found.utf8), "request hash")]
        default: return []
        }
    }

    private static func text(_ field: String, _ rejected: RejectedEvidence) -> String? {
        guard case .text(let text)? = rejected.record.evidence[field]?.content else { return nil }
        return text
    }

    private static func sentence(_ mistakes: [UsualMistakes.Mistake], makes found: [UInt8], _ what: String) -> String {
        mistakes.first { $0.bytes == found }?.sentence
            ?? "none of \(mistakes.count) usual mistakes makes the \(what) of the token of this one: it was made for another"
    }
}
