/// The keys that decrypt and verify evidence.
///
/// Contract: a store returns all keys of a purpose in all states; the engine asks each key for its state at the time of
/// judgement. A store that cannot be read throws ``KeyStoreOutage`` and never returns fewer keys.
public protocol KeyStore: Sendable {
    /// The keys of a purpose.
    func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey]
}

/// Keys that are known when the process starts, such as the keys of a policy.
public struct StaticKeyStore: KeyStore {
    private let keys: [KeyPurpose: [NamedKey]]

    /// Holds some keys.
    public init(_ keys: [NamedKey]) {
        self.keys = Dictionary(grouping: keys, by: \.purpose)
    }

    /// The keys of a purpose, in the order given.
    public func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        keysAtHand(for: purpose)
    }

    /// The keys of a purpose, synchronously. The result never changes, so a caller can keep it.
    package func keysAtHand(for purpose: KeyPurpose) -> [NamedKey] { keys[purpose] ?? [] }
}

/// Several stores as one: the keys of all stores in order. Names may repeat.
package struct CombinedKeyStore: KeyStore {
    private let stores: [any KeyStore]

    package init(_ stores: [any KeyStore]) {
        self.stores = stores
    }

    /// The keys of a purpose in all stores.
    package func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        var keys: [NamedKey] = []
        for store in stores {
            let more = try await store.keys(for: purpose)
            // If one store has all keys, return its own array: engines reuse prepared keys if the array is identical.
            if keys.isEmpty { keys = more } else if !more.isEmpty { keys += more }
        }
        return keys
    }
}

/// The key store cannot be read. An outage gives no verdict, and never an acceptance.
public struct KeyStoreOutage: Outage, Equatable {
    /// The part that fails.
    public static let part = "key store"
    /// The reason.
    public let code: OutageCode
    /// What happened, where, and what to do.
    public let message: String

    /// Describes an outage.
    public init(_ code: OutageCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The outage of the ledger that stores the keys.
    package init(_ outage: LedgerOutage) {
        self.init(outage.code, outage.message)
    }
}
