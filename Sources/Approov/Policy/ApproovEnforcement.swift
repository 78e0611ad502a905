/// How a server treats a request whose evidence is rejected. Verdicts do not depend on it.
public enum ApproovEnforcement: String, Sendable, CaseIterable {
    /// Refuse the request.
    case reject
    /// Let the request through, with its verdict.
    case annotate
    /// Do not judge requests.
    case off
}
