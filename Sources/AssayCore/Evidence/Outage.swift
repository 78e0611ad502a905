/// The ledger, the key store or a service is not available. An outage gives no verdict, and never an acceptance.
public protocol Outage: Error, CustomStringConvertible {
    /// The part that is not available, in words: `ledger`, `key store`.
    static var part: String { get }
    /// The reason.
    var code: OutageCode { get }
    /// What happened, where, and what to do. It contains no secret.
    var message: String { get }
}

extension Outage {
    /// Part, code and sentence.
    public var description: String { "\(Self.part) outage (\(code)): \(message)" }
}

/// The reason of an outage: a stable code in kebab case. Ledgers, key stores and services may add their own.
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
    /// The open ledger is not, or not alone, the one at its place: its file was removed, replaced, linked or mounted under another
    /// name, its tables were made anew, its server came back with older data, or `assay migrate` has moved it.
    public static let wrongLedger: OutageCode = "wrong-ledger"
    /// The ledger was restored from a backup and is in quarantine: evidence without one of its challenges may have been used before.
    public static let quarantine: OutageCode = "quarantine"
    /// The operating system reports an I/O error.
    public static let inputOutput: OutageCode = "input-output"
    /// The ledger has purged entries as old as this evidence and cannot decide whether the evidence was used before.
    /// Someone lengthened a window, or a clock stepped.
    public static let forgotten: OutageCode = "forgotten"
    /// Memory ran out in a check or in the ledger.
    public static let outOfMemory: OutageCode = "out-of-memory"
    /// The ledger has violated its contract.
    public static let internalError: OutageCode = "internal-error"
    /// Another master key encrypts the key store.
    public static let wrongMasterKey: OutageCode = "wrong-master-key"
    /// The key store holds keys of a purpose that the program cannot read.
    public static let unknownPurpose: OutageCode = "unknown-purpose"

    // For services over HTTP:

    /// No answer came in time.
    package static let timeout: OutageCode = "timeout"
    /// The service refuses our key or account, or there is none: HTTP 401 or 403.
    package static let notAuthorised: OutageCode = "not-authorised"
    /// A rate limit or quota is used up: HTTP 429 or our own limit.
    package static let quota: OutageCode = "quota"
    /// Too many calls failed. Calls pause for a while.
    package static let circuitOpen: OutageCode = "circuit-open"
    /// The servers failed: HTTP 5xx.
    package static let serverError: OutageCode = "server-error"
    /// The answer has no documented form.
    package static let unexpectedAnswer: OutageCode = "unexpected-answer"
    /// An earlier answer to the same call may have been lost, and the service does not give it again.
    package static let answerLost: OutageCode = "answer-lost"
    /// The caller's task was cancelled.
    package static let cancelled: OutageCode = "cancelled"
    /// The client is shut down.
    package static let shutDown: OutageCode = "shut-down"
}
