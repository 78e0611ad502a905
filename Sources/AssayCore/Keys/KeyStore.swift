/// The keys with which evidence is decrypted and verified.
///
/// Contract: a store returns all keys of a purpose in all states; the engine asks each key for its state at the time of
/// judgement. A store that cannot be read throws ``KeyStoreOutage`` and never returns fewer keys.
public protocol KeyStore: Sendable {
    /// The keys of a purpose.
    func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey]
}

/// Keys that are known when the process starts, such as those of a policy.
public struct StaticKeyStore: KeyStore {
    private let keys: [KeyPurpose: [NamedKey]]

    /// Keeps some keys.
    public init(_ keys: [NamedKey]) {
        self.keys = Dictionary(grouping: keys, by: \.purpose)
    }

    /// The keys of a purpose, in the order given.
    public func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        keysAtHand(for: purpose)
    }

    /// The keys of a purpose, synchronously. They never change, so that a caller can keep them.
    package func keysAtHand(for purpose: KeyPurpose) -> [NamedKey] { keys[purpose] ?? [] }
}

/// Several stores as one: the keys of all stores, those of the first store first. Names may repeat.
package struct CombinedKeyStore: KeyStore {
    private let stores: [any KeyStore]

    /// Combines stores.
    package init(_ stores: [any KeyStore]) {
        self.stores = stores
    }

    /// The keys of a purpose of all stores.
    package func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        var keys: [NamedKey] = []
        for store in stores {
            let more = try await store.keys(for: purpose)
            // If one store has all keys, return its array itself: engines compare arrays by identity to reuse prepared keys.
            if keys.isEmpty { keys = more } else if !more.isEmpty { keys += more }
        }
        return keys
    }
}

/// The key store cannot be read. There is no verdict then, and never an acceptance.
public struct KeyStoreOutage: Outage, Equatable {
    /// What kind of outage it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// The store cannot be opened or reached.
        public static let unreachable = Code("unreachable")
        /// The store is sealed under another master key.
        public static let wrongMasterKey = Code("wrong-master-key")
        /// What is stored is damaged.
        public static let corrupt = Code("corrupt")
        /// The store holds keys of a purpose that the program cannot read.
        public static let unknownPurpose = Code("unknown-purpose")
    }

    /// The part that fails.
    public static let part = "key store"
    /// What kind of outage it is.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// Describes an outage.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The outage of a ledger in whose storage the keys are.
    package init(_ outage: LedgerOutage) {
        self.init(Code(outage.code.name), outage.message)
    }

    /// The stable code.
    public var codeName: String { code.name }
}
