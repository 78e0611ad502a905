package import Approov
package import AssayCore
import FoundationEssentials

extension ApproovEngine: InspectableEngine {
    package static let title = "Approov"

    package static let formats: [any BlobFormat.Type] = [
        ApproovTokenFormat.self, SignedRequestFormat.self, LoggableTokenFormat.self, MeasurementsFormat.self,
        ApproovClaimsFormat.self, StatusWordFormat.self, LogLineFormat.self,
    ]

    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? {
        switch (kind, field) {
        case (EvidenceKind.approovToken, "token"), (EvidenceKind.approovText, "token"),
            (EvidenceKind.approovProof, "token"):
            ApproovTokenFieldFormat.self
        case (EvidenceKind.approovToken, "loggable"): LoggableTokenFormat.self
        case (EvidenceKind.approovMessage, "headers"): RequestFieldsFormat.self
        default: nil
        }
    }

    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        switch (kind, field) {
        case (EvidenceKind.approovToken, "token"): "the token, as the request held it"
        case (EvidenceKind.approovToken, "loggable"): "the claims of a token with the beginning of its signature"
        case (EvidenceKind.approovToken, "binding"): "what the token is bound to, in the order of the policy"
        case (_, "address"), (EvidenceKind.approovMessage, _): EvidenceRequest.meaning(of: field)
        case (EvidenceKind.approovText, "token"): "the token that came with the text"
        case (EvidenceKind.approovText, "text"): "what the app signed"
        case (EvidenceKind.approovText, "signature"): "the HMAC of the text under the key of the account"
        case (EvidenceKind.approovText, "binding"): "what the token is bound to, in the order of the policy"
        case (EvidenceKind.approovProof, "nonce"): "the nonce that the hardware gave out"
        case (EvidenceKind.approovProof, "proof"): "the HMAC of nonce and measurement"
        case (EvidenceKind.approovProof, "measurements"): "the key of proofs and the measurements of a verified token"
        case (EvidenceKind.approovProof, "token"): "the token that carries the measurements"
        case (EvidenceKind.approovProof, "sealed"): "the measurement token that the backend sealed for the hardware"
        case (EvidenceKind.approovProof, "measurement"): "which measurement the proof must be of"
        default: nil
        }
    }

    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? {
        if format == SignedRequestFormat.self { return EvidenceKind.approovMessage }
        let isToken =
            format == ApproovTokenFormat.self || format == LoggableTokenFormat.self || format == StatusWordFormat.self
        return isToken ? EvidenceKind.approovToken : nil
    }

    /// A record of a token without its request, or of a signed request with https as assumed scheme. Nil for claims
    /// alone and measurements: no key could verify them.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        if format == SignedRequestFormat.self { return EvidenceRequest.record(of: blob, .approovMessage) }
        guard kind(of: format) == EvidenceKind.approovToken,
            let text = String(validating: LenientText.body(blob), as: UTF8.self)
        else { return nil }
        let field = format == LoggableTokenFormat.self ? "loggable" : "token"
        return EvidenceRecord(.approovToken, alone: [(field, .text(text))])
    }
}
