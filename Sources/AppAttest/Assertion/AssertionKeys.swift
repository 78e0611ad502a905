public import AssayCore
import AssayPrimitives

/// What is known of the key of an assertion before it is assessed.
public struct AssertionKeys: Sendable {
    /// A key that comes with the evidence, for use without a ledger.
    public struct Supplied: Sendable, Equatable {
        /// The public key: SubjectPublicKeyInfo in DER, or the 65-byte X9.63 point.
        public let publicKey: [UInt8]
        /// The greatest counter that was accepted.
        public let counter: UInt32

        /// Describes a key.
        public init(publicKey: some Sequence<UInt8>, counter: UInt32) {
            self.publicKey = Array(publicKey)
            self.counter = counter
        }
    }

    /// The key that the ledger has under the identifier.
    public let enrolled: EnrolledKey?
    /// The key that came with the evidence. It counts only when the ledger is ephemeral; a durable ledger must have it.
    public let supplied: Supplied?
    /// Whether the ledger keeps what it is told.
    public let durability: LedgerDurability
    /// The blocks in force on the key.
    public let blocks: [Block]
    /// The enrolled key's public key, and nil when it is none: the check of the key says why.
    let parsedKey: ECDSAPublicKey?
    /// What the properties of the enrolled key say.
    let facts: EnrolledFacts?

    /// Collects what is known. The enrolled key is parsed here, once for all assertions that are assessed with it.
    public init(enrolled: EnrolledKey?, supplied: Supplied?, durability: LedgerDurability, blocks: [Block]) {
        self.init(enrolled: enrolled, supplied: supplied, durability: durability, blocks: blocks, cache: nil)
    }

    /// Collects what is known, and parses the enrolled key unless a cache has it.
    init(
        enrolled: EnrolledKey?, supplied: Supplied?, durability: LedgerDurability, blocks: [Block],
        cache: EnrolledKeyCache?
    ) {
        parsedKey = enrolled.flatMap { enrolled in
            guard let cache else { return try? AssertionCheck.parse(enrolled.publicKey) }
            return cache.key(enrolled.publicKey)
        }
        facts = enrolled.map { EnrolledFacts($0.properties) }
        self.enrolled = enrolled
        self.supplied = supplied
        self.durability = durability
        self.blocks = blocks
    }
}
