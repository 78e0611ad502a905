package import AndroidKey
import AssayCore

extension AndroidKeyEngine {
    /// Names the mistake that explains a certified challenge, or the signature of a request, that differs.
    package static func diagnose(_ rejected: RejectedEvidence) -> [String] {
        if rejected.check == .androidKeyRequestSignature { return ofRequest(rejected) }
        guard rejected.check == .androidKeyAttestationChallengeBinding,
            let (input, _) = try? KeyAttestationInput.read(rejected.record.evidence),
            let first = input.certificates.first,
            let leaf = try? Certificate(der: first[...], profile: .keystore),
            let value = leaf.extension(KeyDescription.oid)?.value, let description = try? KeyDescription(value)
        else { return [] }
        let mistakes = UsualMistakes(passing: input.challenge, named: "this challenge").all
        guard let mistake = mistakes.first(where: { description.challenge.isByteEqual(to: $0.bytes) }) else {
            return [
                "none of \(mistakes.count) usual mistakes makes the certified challenge of this one: it was made for another"
            ]
        }
        return [mistake.sentence]
    }

    /// Requests are signed by ECDSA on P-256 as r and s side by side (RFC 9421 section 3.3.4); the keystore returns DER.
    private static func ofRequest(_ rejected: RejectedEvidence) -> [String] {
        let fields = RecordFields(rejected.record.evidence, path: "evidence")
        guard let request = RequestMistakes(rejected.record, tag: AndroidKeyConfiguration.engine),
            let info = rejected.enrolledKey ?? (try? fields.optionalBytes("publicKey")),
            let key = try? ECDSAPublicKey(subjectPublicKeyInfo: info[...])
        else { return [] }
        let signature = request.signature.bytes
        let isDER = signature.count != key.curve.pointLength - 1
        func verifies(_ message: [UInt8], _ key: ECDSAPublicKey) -> Bool {
            isDER
                ? key.isValidSignature(der: signature[...], for: message[...], digest: .sha256)
                : key.isValidSignature(p1363: signature, for: message[...], digest: .sha256)
        }
        let form =
            isDER ? "the signature is DER, as the keystore returns it; the request has r and s, 32 bytes each" : nil
        if verifies(request.base, key) { return [form].compactMap(\.self) }
        let mistakes = UsualMistakes(passing: request.base, named: "the signature base").all + request.others
        if let mistake = mistakes.first(where: { verifies($0.bytes, key) }) {
            return [[mistake.sentence, form].compactMap(\.self).joined(separator: "; ")]
        }
        let other = rejected.sentence {
            (try? ECDSAPublicKey(subjectPublicKeyInfo: $0[...])).map { verifies(request.base, $0) } ?? false
        }
        if let other { return [other] }
        return [
            "none of \(mistakes.count) usual mistakes with the signature base explains the signature: the app signed other bytes, or "
                + "another key did, such as that of another device or of an earlier installation"
        ]
    }
}
