package import FoundationEssentials

/// Why there is no verdict. False or malformed evidence is never an error: it is a verdict.
public enum VerificationError: Error, Sendable, CustomStringConvertible {
    /// The call cannot be answered.
    case request(RequestError)
    /// The record cannot be read.
    case record(RecordError)
    /// The ledger, the key store or a service cannot be reached: ``LedgerOutage``, ``KeyStoreOutage``, or the error of an
    /// engine's own service.
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
    /// The reasons.
    package enum Reason: String {
        /// No engine judges this kind of evidence.
        case unknownKind = "unknown-kind"
        /// The policy has no such app, or the app has no section for this kind of evidence.
        case unknownApp = "unknown-app"
        /// The evidence names no app, and none or several of the policy's apps match it.
        case ambiguousApp = "ambiguous-app"
        /// The record has no time of receipt, and is to be judged as captured.
        case noTime = "no-time"
        /// A time or a length of time that is NaN, infinite, or not positive where a challenge must be valid.
        case invalidTime = "invalid-time"
        /// The app has no live key at the time of judgement.
        case noKey = "no-key"
        /// The evidence needs a service that the verifier does not have.
        case noService = "no-service"
    }

    /// The reason.
    package let reason: Reason
    /// The stable code: `unknown-kind`, `unknown-app`, `ambiguous-app`, `no-time`, `invalid-time`, `no-key` or
    /// `no-service`.
    public var code: String { reason.rawValue }
    /// The request, and what is possible.
    public let message: String

    /// Describes a wrong call.
    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}

extension EvidenceRecord {
    /// Reads the evidence as an engine does; an error becomes `.record`.
    package func reading<Input>(
        _ body: (RecordObject) throws(RecordError) -> Input
    ) throws(VerificationError) -> Input {
        do { return try body(evidence) } catch { throw .record(error) }
    }
}

extension KeyStore {
    /// The keys of an app of one purpose, at least one of which is live.
    ///
    /// - Throws: `.outage` when the store cannot be reached, `.request` when no key is live.
    package func selection<Material: KeyMaterial>(
        for claim: KeyClaim, at now: Date
    ) async throws(VerificationError) -> KeySelection<Material> {
        let named: [NamedKey]
        do { named = try await keys(for: Material.purpose) } catch { throw .outage(error) }
        let selection = KeySelection<Material>(named, for: claim, at: now)
        guard !selection.live.isEmpty else {
            throw .request(KeySelection<Material>.absence(of: named, for: claim, at: now))
        }
        return selection
    }
}

extension Ledger {
    /// Asks the ledger; an outage becomes `.outage`.
    package func asking<Answer: Sendable>(
        _ body: (any Ledger) async throws(LedgerOutage) -> Answer
    ) async throws(VerificationError) -> Answer {
        do { return try await body(self) } catch { throw .outage(error) }
    }
}
