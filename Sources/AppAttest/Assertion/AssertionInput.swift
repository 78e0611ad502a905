/// An assertion to verify, as the app sent it.
public struct AssertionInput: Sendable {
    /// The key identifier, 32 bytes.
    package let keyID: [UInt8]
    package let assertion: [UInt8]
    /// The client data that the app signed, or its hash.
    package let clientData: ClientDataInput
    /// The challenge that the client data must carry, if the caller knows it.
    package let challenge: [UInt8]?

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - keyID: the key identifier, decoded from base64.
    ///   - assertion: the result of `generateAssertion`.
    ///   - clientData: the bytes of the request that the app hashed with SHA-256, or the hash that it passed.
    ///   - challenge: the challenge that the client data must carry under the policy `challenge: caller`.
    public init(
        keyID: some Sequence<UInt8>, assertion: some Sequence<UInt8>, clientData: ClientDataInput,
        challenge: (some Sequence<UInt8>)? = [UInt8]?.none
    ) {
        self.keyID = Array(keyID)
        self.assertion = Array(assertion)
        self.clientData = clientData
        self.challenge = challenge.map { Array($0) }
    }
}
