/// An attestation to verify, as the app sent it.
public struct AttestationInput: Sendable {
    /// The key identifier, 32 bytes.
    package let keyID: [UInt8]
    /// The attestation object.
    package let attestation: [UInt8]
    /// The challenge, or the client data hash that the app passed.
    package let clientData: ClientDataInput

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - keyID: the key identifier from `generateKey`, decoded from base64.
    ///   - attestation: the result of `attestKey`.
    ///   - clientData: the challenge that the app hashed with SHA-256, or the hash that it passed.
    public init(
        keyID: some Sequence<UInt8>, attestation: some Sequence<UInt8>, clientData: ClientDataInput
    ) {
        self.keyID = Array(keyID)
        self.attestation = Array(attestation)
        self.clientData = clientData
    }
}
