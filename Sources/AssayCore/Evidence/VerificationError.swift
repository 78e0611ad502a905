package import AssayPrimitives
package import FoundationEssentials

/// Why there is no verdict. False or malformed evidence is never an error: it yields a verdict.
public enum VerificationError: Error, Sendable, CustomStringConvertible {
    /// The call is wrong.
    case request(RequestError)
    /// The record cannot be read.
    case record(RecordError)
    /// The ledger, the key store or an engine's service is not available.
    case outage(any Outage)

    /// The sentence of the associated error.
    public var description: String {
        switch self {
        case .request(let error): error.description
        case .record(let error): error.description
        case .outage(let error): error.description
        }
    }
}

extension VerificationError {
    /// A wrong call, with its reason and a sentence.
    package static func request(_ reason: RequestError.Reason, _ sentence: String) -> VerificationError {
        .request(RequestError(reason, sentence))
    }
}

/// A wrong call: an unknown app, a kind that no engine judges.
public struct RequestError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: String, CaseIterable {
        /// No engine judges this kind of evidence.
        case unknownKind = "unknown-kind"
        /// The policy has no such app, or the app has no section for this kind of evidence.
        case unknownApp = "unknown-app"
        /// The evidence names no app, and none or several of the policy's apps match it.
        case ambiguousApp = "ambiguous-app"
        /// The record is to be judged as captured, but has no time of receipt.
        case noTime = "no-time"
        /// A time or duration is NaN or infinite, or the lifetime of a challenge is out of range.
        case invalidTime = "invalid-time"
        /// The account is empty or too long.
        case invalidAccount = "invalid-account"
        /// No account is given, and this kind of evidence needs one.
        case noAccount = "no-account"
        /// The app has no live key at the time of judgement.
        case noKey = "no-key"
        /// The evidence needs a service that the verifier does not have.
        case noService = "no-service"
        /// The policy demands a status list, and neither a service of the verifier nor an archive has it.
        case noStatusList = "no-status-list"
        /// The policy issues no tokens for this audience.
        case unknownAudience = "unknown-audience"
        /// The thumbprint of a key has another form.
        case invalidThumbprint = "invalid-thumbprint"
        /// The request does not prove that the client has the key that it names.
        case invalidKeyProof = "invalid-key-proof"
        /// The policy issues only tokens that are bound to a key, and the request names none.
        case bindingRequired = "binding-required"
        /// The evidence does not cover challenge, audience and key of the request for a token.
        case evidenceNotBound = "evidence-not-bound"
        /// No token is issued for such evidence.
        case notExchangeable = "not-exchangeable"
        /// The device has got as many tokens in this hour as the policy allows.
        case tokenLimit = "token-limit"
        /// The claims of the app are no JSON object, or the policy does not allow one of them.
        case invalidClaims = "invalid-claims"
        /// No runtime secret can have the name, or a request has too many names.
        case invalidSecretName = "invalid-secret-name"
        /// The app has no runtime secret of this name.
        case unknownSecret = "unknown-secret"
        /// The policy gives the app no runtime secrets.
        case secretsDisabled = "secrets-disabled"
    }

    package let reason: Reason
    /// The stable code: `unknown-kind`, `unknown-app`, `ambiguous-app`, `no-time`, `invalid-time`, `invalid-account`,
    /// `no-account`, `no-key`, `no-service`, `no-status-list`, or of requests for tokens `unknown-audience`, `invalid-thumbprint`,
    /// `invalid-key-proof`, `binding-required`, `evidence-not-bound`, `not-exchangeable` or `token-limit`, and of requests for runtime secrets `invalid-secret-name`,
    /// `unknown-secret` or `secrets-disabled`.
    public var code: String { reason.rawValue }
    /// What was requested, and what is possible.
    public let message: String

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}

extension EvidenceRecord {
    /// Reads the evidence; a ``RecordError`` becomes `.record`.
    package func reading<Input>(
        _ body: (RecordObject) throws(RecordError) -> Input
    ) throws(VerificationError) -> Input {
        do { return try body(evidence) } catch { throw .record(error) }
    }
}

extension KeyStore {
    /// The keys of an app for one purpose. Throws `.outage` if the store is unavailable, `.request` if no key is live.
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
    /// Asks the ledger; a ``LedgerOutage`` becomes `.outage`.
    package func asking<Answer: Sendable>(
        _ body: (any Ledger) async throws(LedgerOutage) -> Answer
    ) async throws(VerificationError) -> Answer {
        do { return try await body(self) } catch { throw .outage(error) }
    }
}
