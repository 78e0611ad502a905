/// Hands out the keys with which evidence is opened and verified.
///
/// Contract: what is handed out are all keys of a purpose, in whatever state; whoever uses one asks it for its state at
/// the time of judgement. A store that cannot be read throws ``KeyStoreOutage`` and never hands out fewer keys.
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

    /// The keys of a purpose, which are always the same, for those who ask once and keep them.
    package func keysAtHand(for purpose: KeyPurpose) -> [NamedKey] { keys[purpose] ?? [] }
}

/// Several stores as one. All keys are handed out, those of the first store first; names may repeat.
public struct CombinedKeyStore: KeyStore {
    private let stores: [any KeyStore]

    /// Combines stores.
    public init(_ stores: [any KeyStore]) {
        self.stores = stores
    }

    /// The keys of a purpose of all stores.
    public func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        var keys: [NamedKey] = []
        for store in stores {
            let more = try await store.keys(for: purpose)
            // Not copied when all keys are those of one store, so that what was prepared for them still serves.
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
        /// The store holds keys of a purpose that its user does not know how to read.
        public static let unknownPurpose = Code("unknown-purpose")
    }

    /// What is out.
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

    /// The stable code.
    public var codeName: String { code.name }
}
