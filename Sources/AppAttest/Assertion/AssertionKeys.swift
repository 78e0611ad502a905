package import AssayCore

/// The key of an assertion: enrolled in the ledger, or supplied by the caller.
public struct AssertionKeys: Sendable {
    /// A key from a backend that stores keys itself, for use without a ledger.
    public struct Supplied: Sendable, Equatable {
        /// The public key: SubjectPublicKeyInfo in DER, or the 65-byte X9.63 point.
        package let publicKey: [UInt8]
        /// The greatest accepted counter.
        package let counter: UInt32

        /// Describes a key.
        public init(publicKey: some Sequence<UInt8>, counter: UInt32) {
            self.publicKey = Array(publicKey)
            self.counter = counter
        }
    }

    /// The key that the ledger has enrolled under the identifier.
    package let enrolled: EnrolledKey?
    /// The supplied key. It is used only with an ephemeral ledger; a durable ledger must have the key.
    package let supplied: Supplied?
    package let durability: LedgerDurability
    /// The blocks in force on the key.
    package let blocks: [LedgerBlock]
    /// The parsed enrolled key; nil if it cannot be parsed, which the key check reports.
    let parsedKey: ECDSAPublicKey?
    /// The properties of the enrolled key.
    let facts: EnrolledFacts?

    /// Who stands for the key. An ephemeral ledger enrols supplied keys too: only its attestation gives a key an environment.
    var voucher: EvidenceVoucher {
        guard let facts, durability == .durable || facts.environment != nil else { return .caller }
        return .platform
    }

    /// Collects the keys, and parses the enrolled key once for all assertions.
    package init(enrolled: EnrolledKey?, supplied: Supplied?, durability: LedgerDurability, blocks: [LedgerBlock]) {
        self.init(enrolled: enrolled, supplied: supplied, durability: durability, blocks: blocks, cache: nil)
    }

    /// Collects the keys, and parses the enrolled key unless it is in the cache.
    init(
        enrolled: EnrolledKey?, supplied: Supplied?, durability: LedgerDurability, blocks: [LedgerBlock],
        cache: EnrolledKeyCache?
    ) {
        parsedKey = enrolled.flatMap { enrolled in
            guard let cache else { return try? AssertionCheck.decodeKey(enrolled.publicKey) }
            return cache.key(enrolled.publicKey)
        }
        facts = enrolled.map { EnrolledFacts($0.properties) }
        self.enrolled = enrolled
        self.supplied = supplied
        self.durability = durability
        self.blocks = blocks
    }
}
