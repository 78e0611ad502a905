public import AssayCore
public import AssayInspection

extension ApproovEngine {
    /// The formats of the platform.
    public static let formats: [any BlobFormat.Type] = []

    /// The format of a field of a record.
    public static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? { nil }

    /// What a field of a record is.
    public static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        switch (kind, field) {
        case (ApproovCheck.tokenKind, "token"): "the token, as the request held it"
        case (ApproovCheck.tokenKind, "loggable"): "the claims of a token with the beginning of its signature"
        case (ApproovCheck.tokenKind, "binding"): "what the token is bound to, in the order of the policy"
        case (_, "address"): "where the request came from"
        case (ApproovCheck.messageKind, "method"): "the method of the request"
        case (ApproovCheck.messageKind, "targetURI"): "what the client asked for"
        case (ApproovCheck.messageKind, "headers"): "the fields of the request, as received"
        case (ApproovCheck.messageKind, "body"): "the content of the request"
        case (ApproovCheck.proofKind, "nonce"): "the nonce that the hardware gave out"
        case (ApproovCheck.proofKind, "proof"): "the HMAC of nonce and measurement"
        case (ApproovCheck.proofKind, "measurements"): "the key of proofs and the measurements of a verified token"
        case (ApproovCheck.proofKind, "token"): "the token that carries the measurements"
        case (ApproovCheck.proofKind, "measurement"): "which measurement the proof must be of"
        default: nil
        }
    }

    /// The kind of evidence that a blob is the main part of.
    public static func kind(of format: any BlobFormat.Type) -> EvidenceKind? { nil }

    /// A record of a blob.
    public static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? { nil }
}
