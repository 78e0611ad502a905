public import AssayCore
public import FoundationEssentials

extension EvidenceKind {
    /// A request that carries an assertion as its HTTP message signature.
    public static let appAttestRequest = EvidenceKind("app-attest.request")
}

extension CheckID {
    /// The signature of the request and its input are strict structured fields.
    public static let appAttestRequestDecode = CheckID("app-attest.request.decode")
    /// The signature covers what the policy demands.
    public static let appAttestRequestComponents = CheckID("app-attest.request.components")
    /// The signature is fresh.
    public static let appAttestRequestFreshness = CheckID("app-attest.request.freshness")
    /// The body is the signed one.
    public static let appAttestRequestContentDigest = CheckID("app-attest.request.content-digest")
}

/// A request with an assertion as its signature. The client data of the assertion is the signature base (RFC 9421
/// section 2.5), and `keyid` names its key.
package enum AppAttestRequest {
    /// The checks of the signature, which precede those of the assertion.
    package static let checks = RequestChecks(
        engine: AppAttestConfiguration.engine, decode: .appAttestRequestDecode, components: .appAttestRequestComponents,
        freshness: .appAttestRequestFreshness, contentDigest: .appAttestRequestContentDigest,
        codes: [.keyIDMissing, .keyIDMalformed])

    /// A request with a well-formed signature.
    typealias Signed = RequestEvidence<[UInt8]>

    /// Runs the checks of the signature. `Part` of the result is the key identifier.
    static func assess(
        _ request: SignedRequest, _ rules: RequestRules, at now: Date, _ run: inout CheckRun
    ) -> Signed? {
        checks.assess(request, rules, at: now, &run) { (signature) throws(CheckFailure) in
            try keyID(signature.input)
        }
    }

    /// The key identifier as `generateKey` returns it: standard base64 of 32 bytes.
    private static func keyID(_ input: SignatureInput) throws(CheckFailure) -> [UInt8] {
        guard let text = input.keyID else {
            throw CheckFailure(.keyIDMissing, "the signature has no keyid, which names the key of the assertion")
        }
        guard let bytes = try? Base64.decode(text, .standard), bytes.count == 32 else {
            throw CheckFailure(
                .keyIDMalformed,
                "expected standard base64 of 32 bytes as keyid, found \"\(text.excerpt)\"")
        }
        return bytes
    }

    static func assess(
        _ signed: Signed?, _ rules: RequestRules, _ keys: AssertionKeys, _ account: AccountStandings,
        _ expectations: AppAttestExpectations, _ now: Date, _ run: inout CheckRun
    ) -> Assessment {
        let input = AssertionInput(
            keyID: signed?.part ?? [], assertion: signed?.signature.bytes ?? [], clientData: .data(signed?.base ?? []))
        let evidence = signed.flatMap { _ in AssertionAssessor.decode(input, &run) }
        if signed == nil { run.skip([.appAttestAssertionDecode]) }
        return AssertionAssessor.assess(
            evidence, of: input, in: .request(signed, rules), keys, account, expectations, now, &run)
    }
}

extension AssertionFrame {
    /// A signed request: the challenge is the signature's `nonce`.
    fileprivate static func request(_ signed: AppAttestRequest.Signed?, _ rules: RequestRules) -> AssertionFrame {
        let bound: BoundChallenge =
            switch (rules.nonce, signed?.signature.input.nonce) {
            case (.any, _): .notRequired
            case (.ledger, let nonce?) where !nonce.isEmpty: .found(Array(nonce.utf8))
            case (.ledger, _): .missing(BoundChallenge.nonceMissing)
            }
        return AssertionFrame(
            kind: .appAttestRequest, catalogue: AppAttestRequest.checks.catalogue + AssertionCheck.catalogue,
            challenge: .ledger, facts: signed?.facts, nonce: bound,
            boundText: rules.boundText(of: signed?.signature.input.nonce))
    }
}

extension CheckCode {
    fileprivate static let keyIDMissing = CheckCode(
        "key-id-missing", "The signature has no `keyid`: the app must write the identifier of its App Attest key there."
    )
    fileprivate static let keyIDMalformed = CheckCode(
        "key-id-malformed", "The signature's `keyid` is not the text that `generateKey` returns: base64 of 32 bytes.")
}

extension AppAttestEngine: RequestEngine {
    /// Requests with assertions, for apps with `requests`.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(AppAttestConfiguration.self)?.requests.map {
            AppAttestRequest.checks.evidence(.appAttestRequest, $0)
        }
    }

    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try await assess(request, suppliedKey: nil, app: app, account: account, ledger: ledger, at: now)
    }
}

extension AppAttestRequest {
    /// Reads a request, and the optional `key`.
    static func read(
        _ evidence: RecordObject
    ) throws(RecordError) -> (SignedRequest, AssertionKeys.Supplied?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(SignedRequest.recordFields + [SignedRequest.digestField, "key"])
        return (try SignedRequest(fields), try AssertionKeys.Supplied(in: fields))
    }

    /// The key identifier of the assertion in a request; nil if there is none.
    static func keyID(of record: EvidenceRecord) -> String? {
        (try? read(record.evidence)).flatMap { checks.signatureInput(in: $0.0)?.keyID }
    }
}

extension EvidenceRecord {
    /// Composes the record of a request that carries an assertion.
    ///
    /// - Parameters:
    ///   - suppliedKey: the key and its counter, if no ledger stores them.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil for the only one with `requests` in its `appAttest`.
    ///   - account: the account of the session; nil for none.
    /// - Throws: ``DecodeError`` if the body is unread: a later judgement needs the body or its digests.
    public init(
        appAttestRequest request: SignedRequest, suppliedKey: AssertionKeys.Supplied? = nil, id: String? = nil,
        app: String? = nil, account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        var members = try request.recordMembers()
        if let suppliedKey { members.append(suppliedKey.recordMember) }
        self.init(
            id: id, kind: .appAttestRequest, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}
