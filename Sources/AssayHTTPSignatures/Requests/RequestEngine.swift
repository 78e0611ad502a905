package import AssayCore
package import FoundationEssentials

/// An engine for evidence in an app's HTTP requests. A server can guard its routes with it.
package protocol RequestEngine: EvidenceEngine {
    /// The evidence that requests of an app carry; nil if the policy expects none.
    static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules?

    /// Assesses a signed request: runs the checks, and commits nothing.
    ///
    /// - Parameters:
    ///   - app: the name of the policy's app.
    ///   - account: the account of the session; nil for none.
    func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment
}

/// The properties of an app's request evidence that a server must know.
package struct RequestEvidenceRules: Sendable {
    /// The part of a request that the evidence covers.
    package enum Scope: Sendable {
        /// Evidence that does not cover the body: a token.
        case token
        /// Evidence over the request. `contentDigest` is the check of the body. `body` names the party that compares a
        /// body that Assay does not receive.
        case signature(contentDigest: CheckID, body: RequestRules.BodyRule)
        /// Evidence about method, target and fields of the request, not about its body.
        case head
    }

    /// The kind of evidence.
    package let kind: EvidenceKind
    /// The treatment of requests with rejected evidence.
    package let enforcement: Enforcement
    /// The part of a request that it covers.
    package let scope: Scope

    /// Whether the evidence covers the request's target URI, which must be known.
    package var coversTarget: Bool { if case .token = scope { false } else { true } }

    /// States the rules.
    package init(kind: EvidenceKind, enforcement: Enforcement, scope: Scope) {
        self.kind = kind
        self.enforcement = enforcement
        self.scope = scope
    }
}
