package import AssayCore
package import AssayInspection
import FoundationEssentials

extension ApproovEngine {
    /// The formats of the platform.
    package static let formats: [any BlobFormat.Type] = [
        ApproovTokenFormat.self,
        SignedRequestFormat.self,
        LoggableTokenFormat.self,
        MeasurementsFormat.self,
        ApproovClaimsFormat.self,
        StatusWordFormat.self,
    ]

    /// The format of a field of a record.
    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? {
        switch (kind, field) {
        case (ApproovCheck.tokenKind, "token"), (ApproovCheck.proofKind, "token"): ApproovTokenFieldFormat.self
        case (ApproovCheck.tokenKind, "loggable"): LoggableTokenFormat.self
        case (ApproovCheck.messageKind, "headers"): RequestFieldsFormat.self
        default: nil
        }
    }

    /// What a field of a record is.
    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
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
    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? {
        if format == SignedRequestFormat.self { return ApproovCheck.messageKind }
        let isToken =
            format == ApproovTokenFormat.self || format == LoggableTokenFormat.self || format == StatusWordFormat.self
        return isToken ? ApproovCheck.tokenKind : nil
    }

    /// A record of a token without the request that it came with, or of a signed request, whose scheme is taken for https.
    ///
    /// Claims alone and measurements tell nothing that a key could confirm.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        let evidence: RecordObject
        if format == SignedRequestFormat.self {
            guard let request = try? CapturedRequest(blob), let targetURI = request.likelyTargetURI else { return nil }
            let input = ApproovMessageInput(
                method: request.method, targetURI: targetURI, fields: request.fields, body: .bytes(request.body))
            guard let record = try? EvidenceRecord(input, receivedAt: Date(timeIntervalSince1970: 0)) else {
                return nil
            }
            evidence = record.evidence
        } else if kind(of: format) == ApproovCheck.tokenKind {
            guard let text = String(validating: LenientText.body(blob), as: UTF8.self) else { return nil }
            let isLoggable = format == LoggableTokenFormat.self
            evidence = RecordObject([(isLoggable ? "loggable" : "token", .text(text))])
        } else {
            return nil
        }
        return EvidenceRecord(
            id: nil, kind: kind(of: format) ?? ApproovCheck.tokenKind, app: nil, receivedAt: nil, evidence: evidence,
            expect: nil)
    }
}
