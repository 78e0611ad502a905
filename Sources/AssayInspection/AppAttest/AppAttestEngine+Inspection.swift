package import AppAttest
package import AssayCore
import AssayPrimitives

extension AppAttestEngine: InspectableEngine {
    package static let title = "App Attest"

    package static let formats: [any BlobFormat.Type] = [
        AttestationObjectFormat.self, AssertionFormat.self, ReceiptFormat.self, ReceiptPayloadFormat.self,
        AttestedCertificateFormat.self, AuthenticatorDataFormat.self, AppAttestRequestFormat.self,
    ]

    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? {
        switch (kind, field) {
        case (EvidenceKind.appAttestAttestation, "attestation"): AttestationObjectFormat.self
        case (EvidenceKind.appAttestAssertion, "assertion"): AssertionFormat.self
        case (EvidenceKind.appAttestReceipt, "receipt"): ReceiptFormat.self
        case (EvidenceKind.appAttestRequest, "headers"): RequestFieldsFormat.self
        default: nil
        }
    }

    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        switch (kind, field) {
        case (_, "keyId"): "the key identifier: SHA-256 of the key's X9.63 point"
        case (EvidenceKind.appAttestAttestation, "attestation"): "the attestation object of attestKey"
        case (EvidenceKind.appAttestAttestation, "challenge"): "the challenge; its SHA-256 is the clientDataHash"
        case (EvidenceKind.appAttestAssertion, "assertion"): "the assertion of generateAssertion"
        case (EvidenceKind.appAttestAssertion, "clientData"): "the request; its SHA-256 is the clientDataHash"
        case (EvidenceKind.appAttestAssertion, "challenge"): "the challenge that the client data carries"
        case (EvidenceKind.appAttestAssertion, "key"), (EvidenceKind.appAttestRequest, "key"):
            "the key and its counter, for use without a ledger"
        case (EvidenceKind.appAttestAttestation, "clientDataHash"), (EvidenceKind.appAttestAssertion, "clientDataHash"):
            "what the app passed as clientDataHash, taken as it is"
        case (EvidenceKind.appAttestReceipt, "receipt"): "the receipt that Apple's server handed out"
        case (EvidenceKind.appAttestRequest, _): EvidenceRequest.meaning(of: field)
        default: nil
        }
    }

    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? {
        if format == AttestationObjectFormat.self { return EvidenceKind.appAttestAttestation }
        if format == AssertionFormat.self { return EvidenceKind.appAttestAssertion }
        if format == ReceiptFormat.self { return EvidenceKind.appAttestReceipt }
        if format == AppAttestRequestFormat.self { return EvidenceKind.appAttestRequest }
        return nil
    }

    /// Composes a record from an attestation with a receipt, or from a receipt.
    ///
    /// The key identifier is that of the attested key, and the client data hash of an attestation is that of its
    /// receipt. So the record shows whether the evidence is consistent and from Apple, but not whether it answers a
    /// challenge of the server. Nil for an assertion: it identifies neither its key nor its client data.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        func text(_ bytes: some Sequence<UInt8>) -> RecordValue.Content {
            .text(Base64.encode(Array(bytes), .standard))
        }
        func receipt(_ bytes: ArraySlice<UInt8>) -> Receipt? {
            (try? SignedReceipt(bytes, authorities: AppAttestTrust.apple.receipts))?.payload
        }
        if format == AttestationObjectFormat.self {
            guard
                let evidence = try? AttestationEvidence(blob, authorities: AppAttestTrust.apple.attestation),
                let hash = evidence.receipt.flatMap({ receipt($0) })?.clientDataHash, !hash.isEmpty
            else { return nil }
            return EvidenceRecord(
                .appAttestAttestation,
                alone: [
                    ("keyId", text(evidence.credential.credentialID)), ("attestation", text(blob)),
                    ("clientDataHash", text(hash)),
                ])
        }
        if format == AppAttestRequestFormat.self { return EvidenceRequest.record(of: blob, .appAttestRequest) }
        if format == ReceiptFormat.self {
            guard let payload = receipt(blob[...]),
                let key = try? Certificate(der: payload.attestedCertificate).publicKey()
            else { return nil }
            return EvidenceRecord(
                .appAttestReceipt,
                alone: [("keyId", text(Digest.sha256(key.x963Representation))), ("receipt", text(blob))])
        }
        return nil
    }
}

/// A saved request with an assertion as its signature.
enum AppAttestRequestFormat: EvidenceRequestFormat {
    static let name = "HTTP request with an App Attest assertion"
    static let tag = AppAttestConfiguration.engine
    static let evidence = "an App Attest assertion, whose client data is the signature base"
    static let evidenceFormat: (any BlobFormat.Type)? = AssertionFormat.self
    static let unknown =
        "whether the key of keyid made it: `assay verify --kind app-attest.request` verifies it with the enrolled key"
}
