import AssayPrimitives
import Synchronization

/// Caches parsed public keys. Contains only enrolled keys: an attacker cannot evict entries with invented keys.
final class EnrolledKeyCache: Sendable {
    /// About 3 MiB.
    private static let capacity = 4096

    /// The bytes of a key, hashed as one buffer; an array hashes its elements one by one.
    private struct Name: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private let keys = Mutex<[Name: ECDSAPublicKey]>([:])

    /// The public key; nil if it cannot be parsed, which the key check reports.
    func key(_ bytes: [UInt8]) -> ECDSAPublicKey? {
        let name = Name(bytes: bytes)
        if let known = keys.withLock({ $0[name] }) { return known }
        guard let key = try? AssertionCheck.decodeKey(bytes) else { return nil }
        keys.withLock { keys in
            if keys.count >= EnrolledKeyCache.capacity { keys.removeAll(keepingCapacity: true) }
            keys[name] = key
        }
        return key
    }
}
