package import AndroidKey
import AssayCore
import AssayPrimitives

extension AndroidKeyEngine {
    /// Names the mistake that explains a certified challenge that differs.
    package static func diagnose(_ rejected: RejectedEvidence) -> [String] {
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
}
