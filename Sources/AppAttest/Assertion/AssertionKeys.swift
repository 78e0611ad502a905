package import AssayCore
import Synchronization

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
    package let blocks: [LedgerBlock]
    /// The parsed enrolled key; nil if it cannot be parsed, which the key check reports.
    let parsedKey: ECDSAPublicKey?
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
        (self.enrolled, self.supplied, self.durability, self.blocks) = (enrolled, supplied, durability, blocks)
    }
}

/// The properties of an enrolled key for the checks of assertions, collected in one pass over the dictionary.
package struct EnrolledFacts: Sendable {
    /// The App ID that the key was attested for.
    private(set) var appID: String?
    /// The name of the environment in which it was attested.
    private(set) var environmentName: String?
    /// The environment with that name; nil for an unknown name.
    private(set) var environment: AttestEnvironment?
    /// The test authority that certified it; nil for Apple's.
    private(set) var testAuthority: String?
    /// Whether its attestation carried one of the extensions of iOS 27 and macOS 27.
    private(set) var hasExtensions = false
    /// The risk metric of its last refreshed receipt; nil for none.
    package private(set) var riskMetric: AppAttestRiskMetric?

    /// Finds the facts.
    package init(_ properties: [String: String]) {
        var (metric, metricTime): (String?, String?)
        for (name, value) in properties {
            switch name {
            case EnrolledProperty.appID: appID = value
            case EnrolledProperty.environment:
                environmentName = value
                environment = AttestEnvironment(rawValue: value)
            case EnrolledProperty.testAuthority: testAuthority = value
            case EnrolledProperty.riskMetric: metric = value
            case EnrolledProperty.riskMetricTime: metricTime = value
            case EnrolledProperty.validationCategory, EnrolledProperty.bundleVersion: hasExtensions = true
            default: break
            }
        }
        if let value = metric.flatMap({ Int($0) }), let time = metricTime.flatMap({ RFC3339.parse($0) }) {
            riskMetric = AppAttestRiskMetric(value: value, measuredAt: time)
        }
    }
}

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
