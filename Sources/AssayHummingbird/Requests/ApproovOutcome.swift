import Assay
public import AssayCore

/// What is known of a request once ``ApproovMiddleware`` has looked at it: the verdict, or why there is none.
public enum ApproovOutcome: Sendable {
    /// The request was judged. Ask for the verdict's outcome: under the enforcement `annotate` handlers see rejected
    /// requests as well.
    case verdict(Verdict)
    /// The ledger, the key store or a service gave no answer, so that there is no verdict.
    case outage(any Outage)
    /// The server is configured in a way that no request can be judged, such as with keys that have all expired.
    case misconfigured(RequestError)
    /// The request is one that cannot be judged.
    case unjudged(ApproovObstacle)
    /// The check is switched off.
    case off

    /// The verdict, if there is one.
    public var verdict: Verdict? {
        guard case .verdict(let verdict) = self else { return nil }
        return verdict
    }

    /// Whether the request was judged and accepted.
    public var isAccepted: Bool { verdict?.outcome == .accept }

    /// What happened, in a word for logs: `accept`, `reject`, `outage`, `misconfigured`, `unjudged` or `off`.
    public var word: String {
        switch self {
        case .verdict(let verdict): verdict.outcome.rawValue
        case .outage: "outage"
        case .misconfigured: "misconfigured"
        case .unjudged: "unjudged"
        case .off: "off"
        }
    }
}

/// Why a request cannot be judged.
public enum ApproovObstacle: String, Sendable, CaseIterable {
    /// It is for a host that is none of the server's ``ApproovOrigins``.
    case unknownHost = "unknown-host"
    /// Its target has a fragment, or does not begin with a slash: what the client signed cannot be told from what it sent.
    case badTarget = "bad-target"
    /// Its body is longer than what is read before it is judged.
    case bodyTooLong = "body-too-long"
    /// Its body has another length than its `Content-Length` says.
    case bodyLengthDiffers = "body-length-differs"
}
