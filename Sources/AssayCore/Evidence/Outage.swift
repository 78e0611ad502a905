/// The ledger, the key store or a service cannot be reached. There is no verdict then, and never an acceptance.
public protocol Outage: Error, CustomStringConvertible {
    /// The part that cannot be reached, in words: `ledger`, `key store`.
    static var part: String { get }
    /// The reason.
    var code: OutageCode { get }
    /// What happened, where, and what to do. It shows no secret.
    var message: String { get }
}

extension Outage {
    /// Part, code and sentence.
    public var description: String { "\(Self.part) outage (\(code)): \(message)" }
}

/// The reason of an outage, for programs: a stable code in kebab case. Ledgers, key stores and services may add their own.
public struct OutageCode: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The stable code.
    public let name: String

    /// Names a code.
    public init(stringLiteral name: String) { self.name = name }

    /// The stable code.
    public var description: String { name }

    /// The storage or the service cannot be opened or reached.
    public static let unreachable: OutageCode = "unreachable"
    /// There is no space left.
    public static let full: OutageCode = "full"
    /// The storage may not be written to.
    public static let readOnly: OutageCode = "read-only"
    /// Another process holds the storage for too long.
    public static let locked: OutageCode = "locked"
    /// The stored data is damaged, or is not a ledger.
    public static let corrupt: OutageCode = "corrupt"
    /// The ledger was written by a newer version.
    public static let newerSchema: OutageCode = "newer-schema"
    /// The operating system reports a failure of input or output.
    public static let inputOutput: OutageCode = "input-output"
    /// The ledger has purged entries of evidence of this age, so that it cannot decide whether this evidence was used: a
    /// window was lengthened, or a clock stepped.
    public static let forgotten: OutageCode = "forgotten"
    /// Memory ran out while a check was decided, or in the ledger.
    public static let outOfMemory: OutageCode = "out-of-memory"
    /// The ledger broke its own contract.
    public static let internalError: OutageCode = "internal-error"
    /// The key store is sealed under another master key.
    public static let wrongMasterKey: OutageCode = "wrong-master-key"
    /// The key store holds keys of a purpose that the program cannot read.
    public static let unknownPurpose: OutageCode = "unknown-purpose"
}
