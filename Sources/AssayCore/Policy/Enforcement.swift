/// How a server treats a request whose evidence is rejected. Verdicts do not depend on it.
public enum Enforcement: String, Sendable, CaseIterable {
    /// Refuse the request.
    case reject
    /// Let the request through, with its verdict.
    case annotate
    /// Do not verify requests.
    case off
}

extension Enforcement {
    /// The declaration of a policy field that holds one.
    package static func field(_ path: String) -> PolicyField {
        PolicyField(path, .words(Enforcement.self), "What a server does with rejected requests.")
    }

    /// The remark on a section whose rejected requests pass; none for `reject`.
    package func remarks(_ path: String) -> [PolicyRemark] {
        guard self != .reject else { return [] }
        return [
            PolicyRemark(
                path, "\(rawValue): a server lets requests through whatever their verdict")
        ]
    }
}
