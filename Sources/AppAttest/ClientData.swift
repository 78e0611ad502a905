import AssayPrimitives

/// What an attestation or an assertion signs besides the authenticator data.
public enum ClientData: Sendable, Equatable {
    /// The data itself: the challenge of an attestation, or the client data of an assertion. It is hashed with SHA-256.
    case data([UInt8])
    /// The client data hash, taken as it is, of any length: what the app passed to DeviceCheck as `clientDataHash`.
    case hash([UInt8])

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

/// The two ways in which an app may carry one of the ledger's challenges.
enum LedgerChallenge {
    /// The challenge's value: the 32 bytes that 43 characters of base64url or 44 of base64 stand for, and any other
    /// bytes as they are.
    ///
    /// The ledger prints a challenge as base64url text. Some apps hash that text and some decode it first; both are the
    /// same challenge, and the lengths keep them apart from challenges of 32 bytes.
    static func value(of bytes: [UInt8]) -> [UInt8] {
        switch bytes.count {
        case 43: (try? Base64.decode(bytes[...], .url)) ?? bytes
        case 44: (try? Base64.decode(bytes[...], .standard)) ?? bytes
        default: bytes
        }
    }
}
