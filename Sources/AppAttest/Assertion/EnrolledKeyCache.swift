import AssayPrimitives
import Synchronization

/// The public keys of enrolled keys, parsed: devices come again and again, and parsing a key takes a fortieth of what
/// verifying a signature with it takes.
///
/// Only keys that a ledger has enrolled come in, so that nobody can drive out others with keys that he makes up.
final class EnrolledKeyCache: Sendable {
    /// About 3 MiB.
    private static let capacity = 4096

    private let keys = Mutex<[[UInt8]: ECDSAPublicKey]>([:])

    /// The public key of some bytes, and nil when they are none: the check of the key says why.
    func key(_ bytes: [UInt8]) -> ECDSAPublicKey? {
        if let known = keys.withLock({ $0[bytes] }) { return known }
        guard let key = try? AssertionChecks.parse(bytes) else { return nil }
        keys.withLock { keys in
            if keys.count >= EnrolledKeyCache.capacity { keys.removeAll(keepingCapacity: true) }
            keys[bytes] = key
        }
        return key
    }
}
