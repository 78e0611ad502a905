package import AppAttest
package import AssayCore

extension AppAttestEngine: InspectableEngine {
    package static let title = "App Attest"

    package static let formats: [any BlobFormat.Type] = [
        AttestationObjectFormat.self, AssertionFormat.self, ReceiptFormat.self, ReceiptPayloadFormat.self,
        AttestedCertificateFormat.self, AuthenticatorDataFormat.self, AppAttestRequestFormat.self,
    ]

    package static let fields: [InspectedField] =
        [
            InspectedField(nil, "keyId", "the key identifier: SHA-256 of the key's X9.63 point"),
            InspectedField(
                .appAttestAttestation, "attestation", "the attestation object of attestKey",
                AttestationObjectFormat.self),
            InspectedField(
                .appAttestAttestation, "challenge", "the challenge; its SHA-256 is the clientDataHash"),
            InspectedField(
                .appAttestAssertion, "assertion", "the assertion of generateAssertion", AssertionFormat.self),
            InspectedField(
                .appAttestAssertion, "clientData", "the request; its SHA-256 is the clientDataHash"),
            InspectedField(.appAttestAssertion, "challenge", "the challenge that the client data carries"),
            InspectedField(
                .appAttestReceipt, "receipt", "the receipt that Apple's server handed out", ReceiptFormat.self),
        ]
        + [EvidenceKind.appAttestAttestation, .appAttestAssertion].map {
            InspectedField($0, "clientDataHash", "what the app passed as clientDataHash, taken as it is")
        }
        + [EvidenceKind.appAttestAssertion, .appAttestRequest].map {
            InspectedField($0, "key", "the key and its counter, for use without a ledger")
        } + EvidenceRequest.fields(of: .appAttestRequest)

    package static let mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] = [
        (AttestationObjectFormat.self, .appAttestAttestation), (AssertionFormat.self, .appAttestAssertion),
        (ReceiptFormat.self, .appAttestReceipt), (AppAttestRequestFormat.self, .appAttestRequest),
    ]

    /// Composes a record from an attestation, with the client data hash of its receipt, or from a receipt. It shows whether the
    /// evidence is consistent and from Apple, but not whether it answers a challenge of the server. Nil for an assertion, which
    /// identifies neither its key nor its client data.
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
