public import AssayCore
public import FoundationEssentials

extension EvidenceKind {
    /// A request that carries a standard integrity token as its HTTP message signature.
    public static let playIntegrityRequest = EvidenceKind("play-integrity.request")
}

extension CheckID {
    /// The signature of the request and its input are strict structured fields.
    public static let playIntegrityRequestDecode = CheckID("play-integrity.request.decode")
    /// The signature covers what the policy demands.
    public static let playIntegrityRequestComponents = CheckID("play-integrity.request.components")
    /// The signature is fresh.
    public static let playIntegrityRequestFreshness = CheckID("play-integrity.request.freshness")
    /// The body is the signed one.
    public static let playIntegrityRequestContentDigest = CheckID("play-integrity.request.content-digest")
}

/// A request with a standard token as its signature. The token's request hash is the hash of the signature base (RFC
/// 9421 section 2.5).
package enum PlayIntegrityRequest {
    /// The checks of the signature, which precede those of the token.
    package static let checks = RequestChecks(
        engine: PlayIntegrityConfiguration.engine, decode: .playIntegrityRequestDecode,
        components: .playIntegrityRequestComponents,
        freshness: .playIntegrityRequestFreshness, contentDigest: .playIntegrityRequestContentDigest,
        codes: [.tokenNotText])

    /// A request with a well-formed signature. Its part is the token.
    typealias Signed = RequestEvidence<String>

    static func assess(
        _ request: SignedRequest, _ rules: RequestRules, at now: Date, _ run: inout CheckRun
    ) -> Signed? {
        checks.assess(request, rules, at: now, &run) { (signature) throws(CheckFailure) in
            guard let token = String(validating: signature.bytes, as: UTF8.self) else {
                throw CheckFailure(.tokenNotText, "the value of the signature is no text, and tokens are")
            }
            return token
        }
    }

    /// The request hash that the token must carry: base64url without padding of SHA-256 of the signature base.
    static func requestHash(of signed: Signed) -> String { Base64.encode(Digest.sha256(signed.base), .url) }

    /// The rejection of a request before its token is judged: skips every check of the token.
    static func assessment(
        _ rules: RequestRules, _ expectations: PlayIntegrityExpectations, _ run: inout CheckRun
    ) -> Assessment {
        run.skip(PlayIntegrityCheck.standardChecks)
        return Assessment(
            kind: .playIntegrityRequest, app: expectations.app, catalogue: IntegrityFrame.requestCatalogue,
            checks: run.results, ledgerChecks: [CheckID.playIntegrityChallenge], effects: [], subject: nil,
            testAuthority: nil)
    }
}

extension IntegrityFrame {
    fileprivate static let requestCatalogue = PlayIntegrityRequest.checks.catalogue + PlayIntegrityCheck.catalogue

    /// A signed request: the ledger's challenge is the signature's `nonce`.
    static func request(_ signed: PlayIntegrityRequest.Signed, _ rules: RequestRules) -> IntegrityFrame {
        let nonce: Nonce =
            switch (rules.nonce, signed.signature.input.nonce) {
            case (.any, _): .notRequired
            case (.ledger, let text?) where !text.isEmpty: .challenge(Array(text.utf8))
            case (.ledger, _): .missing
            }
        return IntegrityFrame(
            kind: .playIntegrityRequest, catalogue: requestCatalogue, token: signed.part, nonce: nonce,
            facts: signed.facts, boundText: rules.boundText(of: signed.signature.input.nonce))
    }
}

extension CheckCode {
    fileprivate static let tokenNotText = CheckCode(
        "token-not-text",
        "The value of the signature is not the text of a token: the app must write its bytes in ASCII.")
}

extension PlayIntegrityEngine: RequestEngine {
    /// Requests with tokens, for apps with `requests`.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(PlayIntegrityConfiguration.self)?.requests.map {
            PlayIntegrityRequest.checks.evidence(.playIntegrityRequest, $0)
        }
    }

    /// Assesses a request with a standard token as its signature.
    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try await assess(request, answer: nil, app: app, account: account, ledger: ledger, at: now)
    }
}

extension PlayIntegrityRequest {
    /// Reads a request, and the optional `decoded`: Google's answer on the token in its signature.
    static func read(_ evidence: RecordObject) throws(RecordError) -> (SignedRequest, IntegrityAnswer?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(SignedRequest.recordFields + [SignedRequest.digestField, "decoded"])
        let request = try SignedRequest(fields)
        guard let answer = fields["decoded"] else { return (request, nil) }
        return (request, IntegrityAnswer(try RecordFields(answer, path: fields.path(of: "decoded")).object))
    }

    /// The digest of the token in a request, as text; nil if there is none.
    static func tokenDigest(of record: EvidenceRecord) -> String? {
        guard let request = (try? read(record.evidence))?.0, let label = checks.signatureInput(in: request)?.label,
            let field = request.parts.combinedValue(of: "Signature"),
            let token = (try? SignatureField(field[...]))?[label]
        else { return nil }
        return Base64.encode(Digest.sha256(token), .standard)
    }
}

extension EvidenceRecord {
    /// Composes the record of a request that carries a standard token.
    ///
    /// A record without Google's answer can be judged again only with another call to Google.
    /// - Parameters:
    ///   - answer: Google's answer on the token; nil if it is not known.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil for the only one with `requests` in its `playIntegrity`.
    ///   - account: the account of the session; nil for none.
    /// - Throws: ``DecodeError`` if the body is unread, or the answer is not a JSON object.
    public init(
        playIntegrityRequest request: SignedRequest, answer: IntegrityAnswer? = nil, id: String? = nil,
        app: String? = nil, account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        var members = try request.recordMembers()
        if let answer { members.append(("decoded", .object(try answer.object()))) }
        self.init(
            id: id, kind: .playIntegrityRequest, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}
