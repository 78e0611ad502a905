/// Why there is no verdict. False or malformed evidence is never an error: it is a verdict.
public enum VerificationError: Error, Sendable, CustomStringConvertible {
    /// The caller asked for something that cannot be judged.
    case request(RequestError)
    /// The record cannot be read.
    case record(RecordError)
    /// The ledger, the key store or a service cannot be reached: ``LedgerOutage``, ``KeyStoreOutage``, or the outage that
    /// an engine declares for a service of its own.
    case outage(any Outage)

    /// The sentence of the error inside.
    public var description: String {
        switch self {
        case .request(let error): error.description
        case .record(let error): error.description
        case .outage(let error): error.description
        }
    }
}

/// A wrong call: an unknown app, a kind that no engine judges.
public struct RequestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in a word that programs match.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// No engine judges this kind of evidence.
        public static let unknownKind = Code("unknown-kind")
        /// The policy has no such app, or it has nothing to say on this kind of evidence.
        public static let unknownApp = Code("unknown-app")
        /// The record names no app, and not exactly one of the policy's apps matches it.
        public static let ambiguousApp = Code("ambiguous-app")
        /// The record has no time of receipt, and is to be judged as captured.
        public static let noTime = Code("no-time")
        /// A time, or a length of time, that is no number, infinite, or nothing to issue a challenge for.
        public static let invalidTime = Code("invalid-time")
        /// The app has no key that may be used at the time of judgement.
        public static let noKey = Code("no-key")
        /// The evidence can be judged only with a service that was not given.
        public static let noService = Code("no-service")
    }

    /// What is wrong.
    public let code: Code
    /// What was asked, and what is possible.
    public let message: String

    /// Describes a wrong call.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}

extension EvidenceRecord {
    /// Reads the evidence as an engine does, and passes on that it cannot be read.
    package func reading<Input>(
        _ body: (RecordObject) throws(RecordError) -> Input
    ) throws(VerificationError) -> Input {
        do { return try body(evidence) } catch { throw .record(error) }
    }
}

extension Ledger {
    /// Asks the ledger, and passes an outage on as such.
    package func asking<Answer: Sendable>(
        _ body: (any Ledger) async throws(LedgerOutage) -> Answer
    ) async throws(VerificationError) -> Answer {
        do { return try await body(self) } catch { throw .outage(error) }
    }
}
