import AssayCore
import FoundationEssentials
import Synchronization

/// The key of a signed request: enrolled in the ledger, or supplied by the caller.
struct AndroidRequestKeys: Sendable {
    /// The key that the ledger has enrolled under the identifier.
    let enrolled: EnrolledKey?
    /// A SubjectPublicKeyInfo from a backend that stores keys itself. It counts only with an ephemeral ledger.
    let supplied: [UInt8]?
    let durability: LedgerDurability
    let block: LedgerBlock?
    /// The parsed enrolled key; nil if it cannot be parsed, which the key check reports.
    let parsedKey: AttestedKey?

    init(
        enrolled: EnrolledKey?, supplied: [UInt8]?, durability: LedgerDurability, block: LedgerBlock?,
        cache: AttestedKeyCache?
    ) {
        self.enrolled = enrolled
        self.supplied = supplied
        self.durability = durability
        self.block = block
        parsedKey = enrolled.flatMap { cache?.key($0.publicKey) }
    }

    /// The test authority that certified the enrolled key; nil for Google's.
    var testAuthority: String? { enrolled?.properties[EnrolledAndroidProperty.testAuthority] }

    /// When the enrolled key was attested last.
    var attestedAt: Date? {
        enrolled.map { $0.properties[EnrolledAndroidProperty.attestedAt].flatMap(RFC3339.parse) ?? $0.enrolledAt }
    }
}

/// Caches parsed public keys. Contains only enrolled keys, so an attacker cannot evict entries with invented keys.
final class AttestedKeyCache: Sendable {
    /// About 4 MiB.
    private static let capacity = 4096

    /// The bytes of a key, hashed as one buffer; an array hashes its elements one by one.
    private struct Name: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private let keys = Mutex<[Name: AttestedKey]>([:])

    /// The key of a SubjectPublicKeyInfo; nil if it cannot be parsed.
    func key(_ info: [UInt8]) -> AttestedKey? {
        let name = Name(bytes: info)
        if let known = keys.withLock({ $0[name] }) { return known }
        guard let key = try? AttestedKey(info[...]) else { return nil }
        keys.withLock { keys in
            if keys.count >= AttestedKeyCache.capacity { keys.removeAll(keepingCapacity: true) }
            keys[name] = key
        }
        return key
    }
}
