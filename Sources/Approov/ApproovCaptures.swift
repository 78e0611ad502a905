public import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

extension ApproovEngine {
    /// Tokens and the values that they are bound to let their holder act, and so do the keys of proofs, which loggable tokens
    /// carry as well; headers and bodies are a user's.
    public static let sensitiveFields = [
        SensitiveField(
            "token", of: ApproovCheck.tokenKind, substitute: .none,
            reveals: "the token, which lets its holder call the API until it expires"),
        SensitiveField(
            "loggable", of: ApproovCheck.tokenKind, substitute: .none,
            reveals: "the claims of the token: the address of the device, and the key of proofs where it has one"),
        SensitiveField(
            "binding", of: ApproovCheck.tokenKind, substitute: .none,
            reveals: "what the token is bound to, such as the session of a user"),
        SensitiveField(
            "address", of: ApproovCheck.tokenKind, substitute: .none, reveals: "the address of the device"),
        SensitiveField(
            "headers", of: ApproovCheck.messageKind, substitute: .none,
            reveals: "the token, and other fields of the request, such as the session of a user"),
        SensitiveField(
            "body", of: ApproovCheck.messageKind, substitute: .none, reveals: "the content of the request"),
        SensitiveField(
            "address", of: ApproovCheck.messageKind, substitute: .none, reveals: "the address of the device"),
        SensitiveField(
            "measurements", of: ApproovCheck.proofKind, substitute: .none,
            reveals: "the key of proofs, with which anybody can prove the measurements"),
        SensitiveField(
            "token", of: ApproovCheck.proofKind, substitute: .none,
            reveals: "the token, which carries the key of proofs"),
    ]

    /// The token of a message, which every signature covers: messages that are one for the ledger have the same. Those whose
    /// token stands in another field than the usual one are all kept together. Tokens and proofs are used many times.
    public static func orderingKey(of record: EvidenceRecord) -> String? {
        guard record.kind == ApproovCheck.messageKind, let input = try? ApproovMessageInput(record.evidence) else {
            return nil
        }
        let usual = ApproovConfiguration.Settings().tokenHeader
        let token = input.fields.first { HTTPFieldText.isName($0.name, equalTo: usual) }?.value
        return "\(Configuration.engine) \(token.map { HTTPFieldText.trimmed($0) } ?? "")"
    }
}
