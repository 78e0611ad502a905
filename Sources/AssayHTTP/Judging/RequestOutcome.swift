public import AssayCore

/// The result of verifying the evidence of a request: the verdict, or the reason for having none.
@nonexhaustive
public enum RequestOutcome: Sendable {
    /// The evidence was verified. With the enforcement `annotate`, handlers get rejected requests too.
    case verdict(Verdict)
    /// The ledger, a key store or a service is unreachable.
    case outage(any Outage)
    /// The configuration is unusable: for example, all keys have expired.
    case misconfigured(RequestError)
    /// The request cannot be verified.
    case unjudged(RequestObstacle)
    /// The head of the request is acceptable. The rest is decided when its streamed body has been read to the end; see
    /// ``RequestBodyMode/streamed(upTo:within:)``.
    case pending
    /// The check is switched off.
    case off

    /// The verdict; nil without one.
    public var verdict: Verdict? {
        guard case .verdict(let verdict) = self else { return nil }
        return verdict
    }

    /// Whether the evidence was verified and accepted.
    public var isAccepted: Bool { verdict?.outcome == .accept }

    /// The outcome in logs and in forward auth: `accept`, `reject`, `outage`, `misconfigured`, `unjudged`, `pending` or `off`.
    package var word: String {
        switch self {
        case .verdict(let verdict): verdict.outcome.rawValue
        case .outage: "outage"
        case .misconfigured: "misconfigured"
        case .unjudged: "unjudged"
        case .pending: "pending"
        case .off: "off"
        }
    }

    /// The outcome of a call without a verdict.
    init(_ error: VerificationError) {
        switch error {
        case .outage(let outage): self = .outage(outage)
        case .request(let error): self = .misconfigured(error)
        // Not reached: no call reads a record.
        case .record(let error): self = .misconfigured(RequestError(.unknownKind, error.description))
        }
    }
}

/// Why a request cannot be verified.
@nonexhaustive
public enum RequestObstacle: String, Sendable {
    /// The host is not one of the ``ServerOrigins``.
    case unknownHost = "unknown-host"
    /// The target has a fragment, does not begin with a slash, or is not printable ASCII. The signed target is
    /// ambiguous.
    case badTarget = "bad-target"
    /// `Host` or `:authority` is missing, repeated, or more than host and port.
    case badHost = "bad-host"
    /// The body is longer than the limit.
    case bodyTooLong = "body-too-long"
    /// The body did not arrive in the time of its ``RequestBodyMode``.
    case bodyTooSlow = "body-too-slow"
    /// The body is shorter or longer than `Content-Length`.
    case bodyLengthDiffers = "body-length-differs"
}

/// The outcome of a request and the evidence that decided. A class, with what is asked most often: copying a verdict counts many
/// references.
package final class RequestDecision: Sendable {
    /// The outcome.
    package let outcome: RequestOutcome
    /// Whether the evidence was verified and accepted.
    package let isAccepted: Bool
    /// ``RequestOutcome/word``.
    package let word: String
    /// The evidence that decided; for a rejected request, evidence that it carries.
    let evidence: RequiredEvidence
    /// The treatment of the request unless it is accepted.
    package let enforcement: Enforcement
    /// Nil if the verdict of the outcome, if any, is the only one.
    private let all: [Verdict]?

    init(
        _ outcome: RequestOutcome, _ evidence: RequiredEvidence, _ enforcement: Enforcement, verdicts: [Verdict]? = nil
    ) {
        isAccepted = outcome.isAccepted
        word = outcome.word
        self.outcome = outcome
        all = verdicts
        self.evidence = evidence
        self.enforcement = enforcement
    }

    /// A decision by one verdict.
    init(_ verdict: Verdict, _ evidence: RequiredEvidence, _ enforcement: Enforcement) {
        isAccepted = verdict.outcome == .accept
        word = verdict.outcome.rawValue
        outcome = .verdict(verdict)
        all = nil
        self.evidence = evidence
        self.enforcement = enforcement
    }

    /// The accepting verdicts of the route in its order, or the rejecting verdict.
    package var verdicts: [Verdict] { all ?? outcome.verdict.map { [$0] } ?? [] }

    /// The app of ``evidence``.
    package var app: String { evidence.app }
    /// The kind of ``evidence``.
    package var kind: EvidenceKind { evidence.kind }
}
