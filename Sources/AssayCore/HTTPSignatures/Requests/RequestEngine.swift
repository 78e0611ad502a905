import AssayPrimitives
package import FoundationEssentials

/// An engine for evidence in an app's HTTP requests. A server can guard its routes with it.
package protocol RequestEngine: EvidenceEngine {
    /// The evidence that requests of an app carry; nil if the policy expects none.
    static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules?

    /// Assesses a request: runs the checks, and commits nothing.
    ///
    /// - Parameters:
    ///   - app: the name of the policy's app.
    ///   - account: the account of the session; nil for none.
    func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment

    /// Assesses evidence of the scope ``RequestEvidenceRules/Scope/fields(_:)``: runs the checks, and commits nothing.
    ///
    /// - Parameters:
    ///   - value: the value of the field at a place in the list of the scope.
    ///   - address: the client's address; nil if unknown.
    ///   - app: the name of the policy's app.
    ///   - account: the account of the session; nil for none.
    nonisolated(nonsending) func assess(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String, account: String?,
        ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment

    /// The evidence of a record of a signed request, for captures.
    ///
    /// - Throws: ``DecodeError`` if a record cannot have it, such as without the body.
    static func recordEvidence(of request: SignedRequest) throws(DecodeError) -> RecordObject

    /// The evidence of a record of fields, for captures; nil if a record cannot have it. The parameters are those of the assessment.
    func recordEvidence(fields value: (Int) -> RequestFieldValue, address: String?, app: String) -> RecordObject?

    /// Whether the client can succeed with another attempt after a rejection.
    static func isRepairable(_ verdict: Verdict) -> Bool

    /// The fields of the answer to a client that should try again: `WWW-Authenticate` (RFC 9110 section 15.5.2) and others.
    static func challenge(_ verdict: Verdict) -> [SignedRequest.Field]
}

extension RequestEngine {
    /// Throws: the engine has only evidence in fields.
    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        throw .request(RequestError(.unknownKind, "app \(app.excerpt) has no evidence about whole requests"))
    }

    /// Throws: the engine has no evidence in fields alone.
    package nonisolated(nonsending) func assess(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String, account: String?,
        ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        throw .request(RequestError(.unknownKind, "app \(app.excerpt) has no evidence in fields alone"))
    }

    /// All of the request, with its body or the digests of it.
    package static func recordEvidence(of request: SignedRequest) throws(DecodeError) -> RecordObject {
        RecordObject(try request.recordMembers())
    }

    /// Nil: the engine has no evidence in fields alone.
    package func recordEvidence(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String
    ) -> RecordObject? { nil }

    /// By the remedy. If no check passed, the request carried no evidence and the client did not know the requirement.
    package static func isRepairable(_ verdict: Verdict) -> Bool {
        guard verdict.checks.contains(where: { $0.status == .passed }) else { return true }
        return switch verdict.remedy {
        case .retry, .newChallenge, .newAttestation, nil: true
        case .updateApp, .updateSystem, .contactSupport, .nothing: false
        }
    }

    /// The scheme `Assay`.
    package static func challenge(_ verdict: Verdict) -> [SignedRequest.Field] {
        [SignedRequest.Field("WWW-Authenticate", "Assay")]
    }
}

/// An engine that can assess evidence in fields without waiting.
package protocol ImmediateRequestEngine: RequestEngine {
    /// The assessment of evidence in fields, as of the method that may wait; nil if it has to wait for keys or the ledger.
    func assessAtOnce(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String, account: String?,
        ledger: any Ledger, at now: Date
    ) throws(VerificationError) -> Assessment?
}

/// The value of a field in a request.
package enum RequestFieldValue: Sendable {
    /// The value of a field that occurs once.
    case value(String)
    /// The request has no such field.
    case missing
    /// The request has the field several times. Each reader may take another one.
    case repeated
}

/// The properties of an app's request evidence that a server must know.
package struct RequestEvidenceRules: Sendable {
    /// The part of a request that the evidence covers.
    package enum Scope: Sendable {
        /// Evidence in these fields, which covers neither target nor body: a token, and what it is bound to.
        case fields([String])
        /// Evidence over the request. `contentDigest` is the check of the body. `body` names the party that compares a
        /// body that Assay does not receive.
        case signature(contentDigest: CheckID, body: RequestRules.BodyRule)
        /// Evidence about method, target and fields of the request, not about its body.
        case head
    }

    package let kind: EvidenceKind
    /// The treatment of requests with rejected evidence.
    package let enforcement: Enforcement
    /// The part of a request that it covers.
    package let scope: Scope
    /// Whether it is only a statement of the client, in place of evidence: a route must name it, and it admits no request that
    /// carries other evidence.
    package let isStatement: Bool

    /// Whether the evidence covers the request's target URI, which must be known.
    package var coversTarget: Bool { if case .fields = scope { false } else { true } }

    package init(kind: EvidenceKind, enforcement: Enforcement, scope: Scope, isStatement: Bool = false) {
        (self.kind, self.enforcement, self.scope, self.isStatement) = (kind, enforcement, scope, isStatement)
    }
}
