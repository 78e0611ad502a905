import AssayPrimitives
import Synchronization

/// The public keys of enrolled keys, parsed: devices come again and again, and parsing a key takes a fortieth of what
/// verifying a signature with it takes.
///
/// Only keys that a ledger has enrolled come in, so that nobody can drive out others with keys that he makes up.
final class EnrolledKeyCache: Sendable {
    /// About 3 MiB.
    private static let capacity = 4096

    /// The bytes of a key, hashed at once: an array hashes its elements one by one.
    private struct Name: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private let keys = Mutex<[Name: ECDSAPublicKey]>([:])

    /// The public key of some bytes, and nil when they are none: the check of the key says why.
    func key(_ bytes: [UInt8]) -> ECDSAPublicKey? {
        let name = Name(bytes: bytes)
        if let known = keys.withLock({ $0[name] }) { return known }
        guard let key = try? AssertionCheck.parse(bytes) else { return nil }
        keys.withLock { keys in
            if keys.count >= EnrolledKeyCache.capacity { keys.removeAll(keepingCapacity: true) }
            keys[name] = key
        }
        return key
    }
}
