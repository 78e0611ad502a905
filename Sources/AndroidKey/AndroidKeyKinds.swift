public import AssayCore

extension EvidenceKind {
    /// A chain of certificates with which Android's keystore attests a key (Android documentation, "Verify hardware-backed key
    /// pairs with key attestation").
    public static let androidKeyAttestation = EvidenceKind("android-key.attestation")
    /// A request that an attested key has signed as an HTTP message signature.
    public static let androidKeyRequest = EvidenceKind("android-key.request")
}
