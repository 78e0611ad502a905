/// The ledger cannot decide. There is no verdict then, and never an acceptance.
public struct LedgerOutage: Outage, Equatable {
    /// What kind of outage it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// The ledger cannot be opened or reached.
        public static let unreachable = Code("unreachable")
        /// There is no space left.
        public static let full = Code("full")
        /// The ledger may not be written to.
        public static let readOnly = Code("read-only")
        /// Another process holds the ledger for too long.
        public static let locked = Code("locked")
        /// The stored data is damaged, or is not a ledger.
        public static let corrupt = Code("corrupt")
        /// The ledger was written by a newer version.
        public static let newerSchema = Code("newer-schema")
        /// The operating system reports a failure of input or output.
        public static let inputOutput = Code("input-output")
        /// The ledger has purged entries of evidence of this age, so that it cannot tell whether this was used: a window was
        /// lengthened, or a clock stepped.
        public static let forgotten = Code("forgotten")
        /// Memory ran out while a check was decided, or in the ledger.
        public static let outOfMemory = Code("out-of-memory")
        /// The ledger broke its own contract.
        public static let internalError = Code("internal-error")
    }

    /// The part that fails.
    public static let part = "ledger"
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
