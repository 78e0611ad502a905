/// A key attestation to verify, as the app sent it.
public struct KeyAttestationInput: Sendable {
    /// The certificates in DER, that of the attested key first.
    package let certificates: [[UInt8]]
    /// The challenge that the app gave to the keystore.
    package let challenge: [UInt8]
    /// The SubjectPublicKeyInfo that the attested key must have; nil for any.
    package let publicKey: [UInt8]?

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - certificates: what `KeyStore.getCertificateChain(alias)` returns, each as its `encoded` bytes, in that order.
    ///   - challenge: the bytes that the app gave to `setAttestationChallenge`, compared as they are.
    ///   - publicKey: the key that the app claims to have, as SubjectPublicKeyInfo in DER; nil to take the attested one.
    public init(
        certificates: some Sequence<[UInt8]>, challenge: some Sequence<UInt8>, publicKey: [UInt8]? = nil
    ) {
        self.certificates = Array(certificates)
        self.challenge = Array(challenge)
        self.publicKey = publicKey
    }
}
