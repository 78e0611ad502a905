public import AssayCore
public import FoundationEssentials

extension CheckID {
    /// The signature of the request and its input are strict structured fields.
    public static let androidKeyRequestDecode = CheckID("android-key.request.decode")
    /// The signature covers what the policy demands.
    public static let androidKeyRequestComponents = CheckID("android-key.request.components")
    /// The signature is fresh.
    public static let androidKeyRequestFreshness = CheckID("android-key.request.freshness")
    /// The body is the signed one.
    public static let androidKeyRequestContentDigest = CheckID("android-key.request.content-digest")
}

/// A request that an enrolled key has signed (RFC 9421): `keyid` names the key, `alg` its algorithm, and the value is its signature
/// over the signature base.
package enum AndroidKeyRequest {
    /// How attested keys sign requests (RFC 9421 section 6.2.2). The key decides; the request only says what it used.
    enum Algorithm: String, CaseIterable {
        /// ECDSA on P-256 with SHA-256, `r || s`, 64 bytes.
        case ecdsaP256 = "ecdsa-p256-sha256"
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rsa = "rsa-v1_5-sha256"
    }

    /// What the parameters of a signature say of its key.
    struct NamedKey {
        /// SHA-256 of the key's SubjectPublicKeyInfo, 32 bytes.
        let identifier: [UInt8]
        let algorithm: Algorithm
    }

    /// The checks of the signature's form, before those of the key.
    package static let checks = RequestChecks(
        engine: AndroidKeyConfiguration.engine, decode: .androidKeyRequestDecode,
        components: .androidKeyRequestComponents,
        freshness: .androidKeyRequestFreshness, contentDigest: .androidKeyRequestContentDigest,
        codes: [.keyIDMissing, .keyIDMalformed, .algorithmMissing, .algorithmUnknown], hasAlgorithm: true)

    /// The entries of all checks of requests, in the order in which they run.
    package static let catalogue = checks.catalogue + AndroidKeyRequestCheck.catalogue

    /// A request whose signature has the only allowed form.
    typealias Signed = RequestEvidence<NamedKey>

    /// Runs the checks of the signature's form.
    static func assess(
        _ request: SignedRequest, _ rules: RequestRules, at now: Date, _ run: inout CheckRun
    ) -> Signed? {
        checks.assess(request, rules, at: now, &run) { (signature) throws(CheckFailure) in
            NamedKey(identifier: try keyID(signature.input), algorithm: try algorithm(signature.input))
        }
    }

    /// The key identifier: standard base64 of 32 bytes.
    private static func keyID(_ input: SignatureInput) throws(CheckFailure) -> [UInt8] {
        guard let text = input.keyID else {
            throw CheckFailure(.keyIDMissing, "the signature has no keyid, which names the enrolled key")
        }
        guard let bytes = try? Base64.decode(text, .standard), bytes.count == 32 else {
            throw CheckFailure(
                .keyIDMalformed,
                "expected standard base64 of 32 bytes, SHA-256 of the SubjectPublicKeyInfo, as keyid, found "
                    + "\"\(text.excerpt)\"")
        }
        return bytes
    }

    private static func algorithm(_ input: SignatureInput) throws(CheckFailure) -> Algorithm {
        let allowed = Algorithm.allCases.map(\.rawValue).joined(separator: " or ")
        guard let text = input.algorithm else {
            throw CheckFailure(.algorithmMissing, "the signature has no alg; expected \(allowed)")
        }
        guard let algorithm = Algorithm.allCases.first(where: { $0.rawValue.isByteEqual(to: text) }) else {
            throw CheckFailure(.algorithmUnknown, "expected alg \(allowed), found \"\(text.excerpt)\"")
        }
        return algorithm
    }

    /// Runs every check after the form, and returns the results with the effects for the ledger. The run skips checks if there is
    /// no signature.
    static func assess(
        _ signed: Signed?, _ rules: RequestRules, _ keys: AndroidRequestKeys, _ account: AccountStandings,
        _ expectations: AndroidKeyExpectations, _ now: Date, _ run: inout CheckRun
    ) -> Assessment {
        typealias Check = AndroidKeyRequestCheck
        run.allow(account.standings)
        var subject: AndroidKeySubject?
        if let signed {
            let checks = Check(signed: signed, keys: keys, expectations: expectations, now: now)
            subject = assess(checks, account, &run)
        } else {
            run.skip(Check.catalogue.filter { $0.kind != .ledger }.map(\.id))
        }

        var effects: [LedgerEffect] = []
        switch (rules.nonce, signed?.signature.input.nonce) {
        case _ where run.failedAuthenticity != nil: run.skip([.androidKeyRequestChallenge])
        case (.any, _): run.add(.skipped(CheckID.androidKeyRequestChallenge, because: .policy))
        case (.ledger, let nonce?) where !nonce.isEmpty:
            effects.append(
                .consumeChallenge(
                    Array(nonce.utf8), .androidKeyRequestChallenge, .androidKeyRequest, app: expectations.app))
        case (.ledger, _):
            _ = run.gate(.androidKeyRequestChallenge) { () throws(CheckFailure) in
                throw CheckFailure(
                    .nonceMissing, "the policy says nonce: ledger, and the signature has no nonce")
            }
        }
        let ledgerChecks = effects.map(\.check) + [CheckID.androidKeyRequestReplay]
        if let signed, subject != nil, let created = signed.signature.input.created {
            effects.append(
                .rememberRequest(
                    signed.base, created: created, rules.freshness, CheckID.androidKeyRequestReplay, .androidKeyRequest,
                    app: expectations.app, at: now))
            effects += Check.uses(of: keys, signed.part.identifier, account, expectations)
        }
        return Assessment(
            kind: .androidKeyRequest, app: expectations.app, catalogue: catalogue, checks: run.results,
            ledgerChecks: ledgerChecks, effects: effects, confirmations: run.confirmations, subject: subject,
            testAuthority: keys.testAuthority,
            voucher: keys.enrolled == nil ? .caller : .platform,
            boundText: rules.boundText(of: signed?.signature.input.nonce))
    }

    /// Runs the checks of the key; returns its facts if it made the signature.
    private static func assess(
        _ checks: AndroidKeyRequestCheck, _ account: AccountStandings, _ run: inout CheckRun
    ) -> AndroidKeySubject? {
        typealias Check = AndroidKeyRequestCheck
        let key = run.authenticity(.androidKeyRequestKey, try checks.key())
        if key != nil, checks.keys.enrolled == nil {
            // An enrolled key is compared by ``AndroidKeyRequestCheck/uses(of:_:_:_:)``.
            run.confirm(KeyIdentifier.androidKey(checks.signed.part.identifier).subject, .blocked)
            run.remark(Check.keySupplied)
        }
        _ = run.authenticity(.androidKeyRequestSignature, try checks.signature(key))
        run.policy(.androidKeyRequestKeyState, try checks.keyState(key, account))
        run.policy(.androidKeyRequestAccount, try checks.accountOfRequest(account))
        run.confirm(account)
        guard run.failedAuthenticity == nil, let key else { return nil }
        return checks.subject(key)
    }
}

extension CheckCode {
    fileprivate static let keyIDMissing = CheckCode(
        "key-id-missing", "The signature has no `keyid`: the app must write the identifier of its attested key there.")
    fileprivate static let keyIDMalformed = CheckCode(
        "key-id-malformed", "The signature's `keyid` is not base64 of 32 bytes, SHA-256 of the SubjectPublicKeyInfo.")
    fileprivate static let algorithmMissing = CheckCode(
        "algorithm-missing", "The signature has no `alg`: the app must write the algorithm of its key there.")
    fileprivate static let algorithmUnknown = CheckCode(
        "algorithm-unknown",
        "The signature's `alg` is neither `ecdsa-p256-sha256` nor `rsa-v1_5-sha256`: make a P-256 key.")
}

extension AndroidKeyRequest {
    /// Reads a request, and the optional `publicKey`, SubjectPublicKeyInfo, for use without a ledger.
    static func read(_ evidence: RecordObject) throws(RecordError) -> (SignedRequest, [UInt8]?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(SignedRequest.recordFields + [SignedRequest.digestField, "publicKey"])
        return (try SignedRequest(fields), try fields.optionalBytes("publicKey"))
    }

    /// The key identifier in a request, standard base64; nil if there is none.
    static func keyID(of record: EvidenceRecord) -> String? {
        (try? read(record.evidence)).flatMap { checks.signatureInput(in: $0.0)?.keyID }
    }
}

extension EvidenceRecord {
    /// Composes the record of a request that an attested key signed.
    ///
    /// - Parameters:
    ///   - suppliedKey: the key as SubjectPublicKeyInfo, if no ledger stores it.
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil for the only one with `requests` in its `androidKey`.
    ///   - account: the account of the session; nil for none.
    /// - Throws: ``DecodeError`` if the body is unread: a new judgement needs it, or its digests.
    public init(
        androidKeyRequest request: SignedRequest, suppliedKey: [UInt8]? = nil, id: String? = nil, app: String? = nil,
        account: String? = nil, receivedAt: Date
    ) throws(DecodeError) {
        var members = try request.recordMembers()
        if let suppliedKey { members.append(("publicKey", .text(Base64.encode(suppliedKey, .standard)))) }
        self.init(
            id: id, kind: .androidKeyRequest, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}

extension AndroidKeyEngine: RequestEngine {
    /// Requests that attested keys sign, for apps with `requests`.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(AndroidKeyConfiguration.self)?.requests.map {
            AndroidKeyRequest.checks.evidence(.androidKeyRequest, $0)
        }
    }

    /// Assesses a request that an attested key signed.
    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try await assess(request, suppliedKey: nil, app: app, account: account, ledger: ledger, at: now)
    }

    /// Looks up the key that a request names and assesses its signature; see ``AndroidKeyRequest``.
    /// - Throws: `.request` if the policy's app has no `requests`, and without a name unless one app has.
    package func assess(
        _ request: SignedRequest, suppliedKey: [UInt8]?, app: String?, account: String?, ledger: any Ledger,
        at now: Date
    ) async throws(VerificationError) -> Assessment {
        let (expectations, rules) = try apps.require(app, RequestRules.policyField) { $0.configuration.requests }
        var run = CheckRun(modes: expectations.modes, capacity: AndroidKeyRequest.catalogue.count)
        guard let signed = AndroidKeyRequest.assess(request, rules, at: now, &run) else {
            let none = AndroidRequestKeys(
                enrolled: nil, supplied: nil, durability: ledger.durability, block: nil, cache: nil)
            return AndroidKeyRequest.assess(nil, rules, none, .none, expectations, now, &run)
        }
        let (enrolled, block, standings) = try await ledger.use(
            of: .androidKey(signed.part.identifier), account: account, at: now)
        let keys = AndroidRequestKeys(
            enrolled: enrolled, supplied: suppliedKey, durability: ledger.durability, block: block, cache: keyCache)
        return AndroidKeyRequest.assess(signed, rules, keys, standings, expectations, now, &run)
    }
}
