package import AndroidKey
package import AssayCore

extension AndroidKeyEngine: InspectableEngine {
    package static let title = "Android Key Attestation"

    package static let formats: [any BlobFormat.Type] = [
        KeyAttestationChainFormat.self, AttestedKeyCertificateFormat.self, AndroidKeyRequestFormat.self,
    ]

    package static let fields =
        [
            InspectedField(
                .androidKeyAttestation, "certificates",
                "the chain of getCertificateChain, that of the attested key first", KeyAttestationChainFormat.self),
            InspectedField(
                .androidKeyAttestation, "challenge",
                "the challenge that the app gave to the keystore, compared as it is"),
            InspectedField(.androidKeyAttestation, "publicKey", "the key that the app claims to have"),
            InspectedField(
                .androidKeyAttestation, AttestationStatusReference.recordField,
                "the status list that the evidence was judged by"),
            InspectedField(.androidKeyRequest, "publicKey", "the key of keyid, for use without a ledger"),
        ] + EvidenceRequest.fields(of: .androidKeyRequest)

    package static let mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] = [
        (KeyAttestationChainFormat.self, .androidKeyAttestation), (AndroidKeyRequestFormat.self, .androidKeyRequest),
    ]

    /// Composes a record from a chain, with the challenge that it certifies: so the record shows whether the chain is genuine, but
    /// not whether it answers a challenge of the server. Nil for a chain that cannot be read.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        if format == AndroidKeyRequestFormat.self { return EvidenceRequest.record(of: blob, .androidKeyRequest) }
        guard format == KeyAttestationChainFormat.self,
            let certificates = KeyAttestationChainFormat.certificates(in: blob)?.map(\.der),
            let first = certificates.first,
            let leaf = try? Certificate(der: first[...], profile: .keystore),
            let value = leaf.extension(KeyDescription.oid)?.value, let description = try? KeyDescription(value),
            !description.challenge.isEmpty
        else { return nil }
        let list = certificates.map { RecordValue(.text(Base64.encode($0, .standard)), offset: 0) }
        return EvidenceRecord(
            .androidKeyAttestation,
            alone: [
                ("certificates", .array(list)),
                ("challenge", .text(Base64.encode(Array(description.challenge), .standard))),
            ])
    }
}

/// A saved request that an attested key signed.
enum AndroidKeyRequestFormat: EvidenceRequestFormat {
    static let name = "HTTP request signed by an Android key"
    static let tag = AndroidKeyConfiguration.engine
    static let evidence = "the signature of an attested key over the signature base"
    static let unknown =
        "whether the key of keyid made it: `assay verify --kind android-key.request` verifies it with the enrolled key"
}
