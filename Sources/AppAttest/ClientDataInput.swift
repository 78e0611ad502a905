import AssayPrimitives

/// What an attestation or an assertion signs besides the authenticator data.
public enum ClientDataInput: Sendable, Equatable {
    /// The data itself: the challenge of an attestation, or the client data of an assertion. It is hashed with SHA-256.
    case data([UInt8])
    /// The client data hash, taken as it is, of any length: what the app passed to DeviceCheck as `clientDataHash`.
    case hash([UInt8])

    /// Whether there is nothing that could bind anything.
    var isEmpty: Bool {
        switch self {
        case .data(let bytes), .hash(let bytes): bytes.isEmpty
        }
    }

    /// The client data hash.
    var hash: [UInt8] {
        switch self {
        case .data(let data): Digest.sha256(data)
        case .hash(let hash): hash
        }
    }

    /// The data itself, when it is known.
    var data: [UInt8]? {
        switch self {
        case .data(let data): data
        case .hash: nil
        }
    }
}
