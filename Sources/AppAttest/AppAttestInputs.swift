import AssayPrimitives

/// The data that an attestation or an assertion signs in addition to the authenticator data.
public enum ClientDataInput: Sendable, Equatable {
    /// The data: the challenge of an attestation, or the client data of an assertion. It is hashed with SHA-256.
    case data([UInt8])
    /// The hash that the app passed to DeviceCheck as `clientDataHash`, of any length. It is not hashed again.
    case hash([UInt8])

    /// Whether the data or hash is empty, and so binds nothing.
    var isEmpty: Bool {
        switch self {
        case .data(let bytes), .hash(let bytes): bytes.isEmpty
        }
    }

    package var hash: [UInt8] {
        switch self {
        case .data(let data): Digest.sha256(data)
        case .hash(let hash): hash
        }
    }

    /// The data; nil if only the hash is known.
    package var data: [UInt8]? {
        switch self {
        case .data(let data): data
        case .hash: nil
        }
    }
}

/// An attestation to verify, as the app sent it.
public struct AttestationInput: Sendable {
    /// The key identifier, 32 bytes.
    package let keyID: [UInt8]
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

/// A receipt to verify, as Apple's server returned it.
public struct ReceiptInput: Sendable {
    /// The key identifier, 32 bytes.
    package let keyID: [UInt8]
    /// The receipt: a CMS message, decoded from base64.
    package let receipt: [UInt8]

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - keyID: the identifier of the key that the receipt was requested for, decoded from base64.
    ///   - receipt: the body of the response of Apple's server, decoded from base64.
    public init(keyID: some Sequence<UInt8>, receipt: some Sequence<UInt8>) {
        self.keyID = Array(keyID)
        self.receipt = Array(receipt)
    }
}
