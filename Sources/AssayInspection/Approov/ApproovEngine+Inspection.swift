package import Approov
package import AssayCore

extension ApproovEngine: InspectableEngine {
    package static let title = "Approov"

    package static let formats: [any BlobFormat.Type] = [
        ApproovTokenFormat.self, SignedRequestFormat.self, LoggableTokenFormat.self, MeasurementsFormat.self,
        ApproovClaimsFormat.self, StatusWordFormat.self, LogLineFormat.self,
    ]

    private static let binding = "what the token is bound to, in the order of the policy"

    package static let fields: [InspectedField] =
        [
            InspectedField(
                .approovToken, "token", "the token, as the request held it", ApproovTokenFieldFormat.self),
            InspectedField(
                .approovToken, "loggable", "the claims of a token with the beginning of its signature",
                LoggableTokenFormat.self),
            InspectedField(.approovToken, "binding", binding),
            InspectedField(
                .approovText, "token", "the token that came with the text", ApproovTokenFieldFormat.self),
            InspectedField(.approovText, "text", "what the app signed"),
            InspectedField(.approovText, "signature", "the HMAC of the text under the key of the account"),
            InspectedField(.approovText, "binding", binding),
            InspectedField(.approovProof, "nonce", "the nonce that the hardware gave out"),
            InspectedField(.approovProof, "proof", "the HMAC of nonce and measurement"),
            InspectedField(
                .approovProof, "measurements", "the key of proofs and the measurements of a verified token"),
            InspectedField(
                .approovProof, "token", "the token that carries the measurements", ApproovTokenFieldFormat.self),
            InspectedField(
                .approovProof, "sealed", "the measurement token that the backend sealed for the hardware"),
            InspectedField(.approovProof, "measurement", "which measurement the proof must be of"),
            InspectedField(nil, "address", EvidenceRequest.address),
        ] + EvidenceRequest.fields(of: .approovMessage)

    package static let mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] = [
        (ApproovTokenFormat.self, .approovToken), (LoggableTokenFormat.self, .approovToken),
        (StatusWordFormat.self, .approovToken), (SignedRequestFormat.self, .approovMessage),
    ]

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
