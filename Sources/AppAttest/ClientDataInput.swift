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
