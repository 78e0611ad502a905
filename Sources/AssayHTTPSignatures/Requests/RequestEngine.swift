package import AssayCore
package import FoundationEssentials

/// An engine whose evidence comes with an app's HTTP requests, so that a server can guard its routes with it.
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

/// What a server needs to know of the evidence that requests of an app carry.
package struct RequestEvidenceRules: Sendable {
    /// What evidence says about a request.
    package enum Scope: Sendable {
        /// Evidence that covers no body: a token.
        case token
        /// Evidence over the request. `contentDigest` is the check of the body, `body` says who compares a body that the judge
        /// does not see.
        case signature(contentDigest: CheckID, body: RequestRules.BodyRule)
    }

    /// The kind of evidence.
    package let kind: EvidenceKind
    /// How requests with rejected evidence are treated.
    package let enforcement: Enforcement
    /// What it says about a request.
    package let scope: Scope

    /// Whether the evidence is a signature over the request, whose target URI must be known.
    package var isSigned: Bool { if case .signature = scope { true } else { false } }

    /// States the rules.
    package init(kind: EvidenceKind, enforcement: Enforcement, scope: Scope) {
        self.kind = kind
        self.enforcement = enforcement
        self.scope = scope
    }
}
