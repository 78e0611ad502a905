package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Issues the tokens of one request. It is prepared before the evidence is judged: a wrong request tells nothing of the evidence, and no
/// evidence is used up when no key can sign.
package struct TokenIssuer: Sendable {
    /// The most names of annotated checks in a token.
    private static let annotatedLimit = 32
    /// The length of a token's ID in bytes.
    private static let idLength = 16

    /// What makes the token: a signing key, or the secret of an Approov account.
    private enum Signer: Sendable {
        case key(TokenSigner)
        case approov(ApproovTokenSecret)
    }

    private let signer: Signer
    let secret: TokenSecret
    let request: TokenRequest
    let expectations: TokenExpectations
    private let rates: DeviceTokenRates
    /// The account's key for message signing; nil if the app gets none.
    var messageSecret: ApproovMessageSecret?
    /// Who stands for the evidence that was bound.
    private var voucher = EvidenceVoucher.platform
    /// Whether a test authority signed the evidence that was bound.
    private(set) var isOfTestAuthority = false
    /// The claims of the app.
    private var appClaims: [(String, RecordValue.Content)] = []
    /// The device that was counted for these tokens; nil for none.
    private var countedDevice: LedgerSubject?

    /// Whether rejected evidence gets a token too. Then every answer that depends on the evidence is a token.
    package var hidesRejections: Bool { expectations.configuration.hidesRejections }

    /// Judges a request by itself and prepares its token. Nothing of the evidence is known yet, so that a wrong request has the same
    /// answer with genuine and with false evidence.
    ///
    /// - Parameter app: the policy's app that judges the evidence.
    /// - Throws: `.request` for a request that no evidence helps, or without a key; `.outage` when the keys cannot be read.
    package static func prepare(
        _ request: TokenRequest, for app: String?, _ engine: TokenEngine, at now: Date
    ) async throws(VerificationError) -> TokenIssuer {
        guard let expectations = try engine.apps.app(app) else {
            throw .request(
                RequestError(
                    .unknownApp,
                    "the app of the evidence has no section \(TokenConfiguration.policyField) in the policy"))
        }
        let appClaims: [(String, RecordValue.Content)]
        do throws(RequestError) {
            try require(request.audiences, request.keyThumbprint, expectations)
            try requireFormat(request, expectations)
            appClaims = try AppClaims.members(of: request, expectations.configuration)
            try KeyPossession.require(of: request, expectations.configuration, at: now)
            guard request.record.kind != .assayToken else {
                throw RequestError(.notExchangeable, "a token is no evidence for another token")
            }
        } catch { throw .request(error) }
        let (schedule, secrets) = try await engine.material(at: now)
        if expectations.configuration.shape.format == .approov {
            let account: ApproovTokenSecret? = try await engine.secret(for: expectations.app, at: now)
            guard let account, let secret = secrets.first else {
                throw .request(
                    RequestError(
                        .noKey,
                        "there is no secret of the Approov account, or none for the subjects of tokens; assay keys add NAME --use "
                            + "\(ApproovTokenSecret.purpose) and assay tokens rotate make them"))
            }
            let messageSecret: ApproovMessageSecret?
            switch expectations.configuration.shape.messageKey {
            case .none: messageSecret = nil
            case .deliver:
                messageSecret = try await engine.secret(for: expectations.app, at: now)
                guard messageSecret != nil else {
                    throw .request(
                        RequestError(
                            .noKey,
                            "there is no key for message signing that apps get, as messageKey: deliver demands: assay keys add "
                                + "NAME --use \(ApproovMessageSecret.purpose) adds one"))
                }
            }
            return TokenIssuer(
                signer: .approov(account), secret: secret, request: request, expectations: expectations,
                rates: engine.rates, messageSecret: messageSecret)
        }
        guard let signer = schedule.signer, let secret = secrets.first else {
            throw .request(
                RequestError(
                    .noKey,
                    "no key signs tokens at \(RFC3339.format(now)), or there is no secret for their subjects; assay tokens "
                        + "rotate makes both"))
        }
        return TokenIssuer(
            signer: .key(signer), secret: secret, request: request, expectations: expectations, rates: engine.rates,
            appClaims: appClaims)
    }

    // MARK: The request

    static func require(_ audience: String, _ app: TokenExpectations) throws(RequestError) {
        let audiences = app.configuration.audiences
        guard audiences.containsBytes(of: audience) else {
            throw RequestError(
                .unknownAudience,
                "app \(app.app.excerpt) has tokens for \(audiences.joined(separator: ", ")), found "
                    + "\"\(audience.excerpt)\"")
        }
    }

    static func require(
        _ audiences: [String], _ keyThumbprint: String?, _ app: TokenExpectations
    ) throws(RequestError) {
        guard !audiences.isEmpty else { throw RequestError(.unknownAudience, "the request names no audience") }
        for (index, audience) in audiences.enumerated() {
            try require(audience, app)
            guard !audiences[..<index].containsBytes(of: audience) else {
                throw RequestError(.unknownAudience, "the request names \(audience.excerpt) twice")
            }
        }
        if let keyThumbprint {
            guard JWKThumbprint.isThumbprint(keyThumbprint) else {
                throw RequestError(
                    .invalidThumbprint, "expected the SHA-256 thumbprint of a JSON Web Key, 43 characters of base64url")
            }
        } else if app.configuration.key == .required {
            throw RequestError(
                .bindingRequired,
                "the policy of app \(app.app.excerpt) says tokens.key: required: name the thumbprint of the client's key"
            )
        }
    }

    private static func requireFormat(_ request: TokenRequest, _ app: TokenExpectations) throws(RequestError) {
        let shape = app.configuration.shape
        func refuse(_ what: String) -> RequestError {
            RequestError(
                .notExchangeable,
                "\(what): the policy of app \(app.app.excerpt) says tokens.format: \(shape.format.rawValue), tokens.ear: "
                    + shape.ear.rawValue)
        }
        if request.hasEAR, shape.ear == .refuse || shape.format != .assay {
            throw refuse("such a token has no claims of EAR")
        }
        if request.isLimitedUse, shape.format != .assay { throw refuse("such a token is not for one use") }
        if let binding = request.binding {
            guard shape.format == .approov else { throw refuse("such a token has no claim pay") }
            guard (try? Base64.decode(binding, .standard))?.count == 32 else {
                throw RequestError(
                    .invalidThumbprint, "expected pay as base64 of the SHA-256 digest of the bound values")
            }
        }
        if shape.format != .assay, request.publicKey == nil, app.configuration.key == .required {
            throw RequestError(
                .bindingRequired,
                "a token in the format \(shape.format.rawValue) contains the client's public key: name it as jwk")
        }
    }

    // MARK: The evidence

    /// The assessment to commit for acceptable evidence, whose acceptance consumes the challenge of the request.
    ///
    /// - Throws: an error if the policy gives no token for such evidence, if the evidence does not cover challenge, audience and key
    ///   of the request, or if the device got tokens as often as it may.
    package mutating func bind(_ assessment: Assessment, at now: Date) throws(RequestError) -> Assessment {
        let bound = try cover(assessment)
        try countDevice(assessment.subject, at: now)
        return bound
    }

    /// Counts the device before its evidence is used up, so that requests at the same time get no more than one after the other.
    private mutating func countDevice(_ subject: (any EngineSubject)?, at now: Date) throws(RequestError) {
        guard let limit = expectations.configuration.hourlyTokens, let device = device(subject) else { return }
        guard rates.take(device, app: expectations.app, atMost: limit, at: now) else {
            throw RequestError(
                .tokenLimit,
                "the device has got tokens \(limit) times in this hour, as often as tokens.hourlyTokens allows")
        }
        countedDevice = device
    }

    /// Takes back the count of the device: its evidence was not accepted after all, or no token could be made.
    package mutating func giveBack(at now: Date) {
        if let countedDevice { rates.giveBack(countedDevice, app: expectations.app, at: now) }
        countedDevice = nil
    }

    private mutating func cover(_ assessment: Assessment) throws(RequestError) -> Assessment {
        let configuration = expectations.configuration
        isOfTestAuthority = assessment.testAuthority != nil
        guard !isOfTestAuthority || configuration.testAuthorities == .allow else {
            throw RequestError(
                .notExchangeable,
                "a test authority signed the evidence, and the policy says tokens.testAuthorities: refuse")
        }
        voucher = assessment.voucher
        if voucher == .caller {
            guard configuration.callerEvidence == .allow else {
                throw RequestError(
                    .notExchangeable,
                    "no token is issued for this \(request.record.kind): only its writer vouches for it, and no platform signed it. "
                        + "Send the token of the platform in place of a decoded answer, and enrol keys by their attestation; "
                        + "tokens.callerEvidence: allow gives tokens with env: \(TokenMark.caller.rawValue)")
            }
            guard !request.hasEAR else {
                throw RequestError(
                    .notExchangeable,
                    "an attestation result says what was verified: there is none for the caller's word")
            }
        }
        if voucher == .client {
            guard configuration.noEvidence == .allow else {
                throw RequestError(
                    .notExchangeable,
                    "no token is issued for this \(request.record.kind): the device gave no evidence. tokens.noEvidence: allow gives "
                        + "tokens with env: \(TokenMark.noEvidence.rawValue)")
            }
            guard !request.hasEAR else {
                throw RequestError(
                    .notExchangeable,
                    "an attestation result says what was verified: there is none for a device without evidence")
            }
            // The statement covers nothing, and can be repeated: the next one would give the next token.
            return assessment
        }
        guard !assessment.effects.isEmpty else {
            throw RequestError(
                .notExchangeable,
                "no token is issued for this \(request.record.kind): nothing in the ledger prevents its reuse. "
                    + "Use evidence with challenge: ledger")
        }
        let derived = request.evidenceChallenge
        // The challenge in the form in which the ledger issued it.
        if let challenge = LedgerChallenge.bytes(of: request.challenge) {
            if let bound = assessment.consuming(challenge, insteadOf: derived) { return bound }
            // Such evidence consumes no challenge: it covers the text, and the ledger remembers it or its counter.
            if let text = assessment.boundText, text.isByteEqual(to: Base64.encode(derived, .url)) { return assessment }
        }
        throw RequestError(
            .evidenceNotBound,
            "the evidence is not bound to this request: its challenge must be SHA-256 of assay-token, the challenge, "
                + "the audience and the key's thumbprint, each followed by a line feed; the policy must say "
                + "challenge: ledger, except for signed requests")
    }

    // MARK: The token

    /// The tokens for an accepted verdict.
    /// - Throws: `.outage` if the library cannot sign.
    package func issue(for verdict: Verdict, at now: Date) throws(VerificationError) -> TokenGrant {
        guard verdict.outcome == .accept else {
            throw .outage(KeyStoreOutage(.internalError, "a token was asked for with rejected evidence"))
        }
        let life = expectations.configuration.tokenLife(after: verdict).rounded(.down)
        switch signer {
        case .approov(let account): return try issue(under: account, for: verdict, at: now)
        case .key(let signer):
            if expectations.configuration.shape.format == .clientAttestation {
                return try attest(signer, mark(of: verdict), life, at: now)
            }
            return try issue(signer, for: verdict, life, at: now)
        }
    }

    /// Tokens of the type `assay+jwt`: equal but for `aud`, `jti` and `ref`.
    private func issue(
        _ signer: TokenSigner, for verdict: Verdict, _ longest: Double, at now: Date
    ) throws(VerificationError) -> TokenGrant {
        let configuration = expectations.configuration
        let isLimitedUse = request.isLimitedUse || configuration.limitedUse
        let life = isLimitedUse ? min(longest, TokenConfiguration.limitedUseLife) : longest
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        let subjects = self.subjects(of: verdict)
        let subject = subjects.first.map { secret.pseudonym(of: $0, app: expectations.app) }
        let attestation = TokenClaims.Attestation(
            kind: verdict.kind.name, at: verdict.judgedAt.timeIntervalSince1970.rounded(.down),
            annotated: named(verdict).map(\.check.name),
            environment: verdict.isOfDevelopment ? TokenMark.development.rawValue : nil)
        let result = request.hasEAR ? EARClaims(verdict).members(nonce: request.challenge, policyID: policyID) : []
        var tokens: [IssuedToken] = []
        for audience in request.audiences {
            let tokenID = Self.randomID()
            let claims = TokenClaims(
                issuer: configuration.issuer, audience: audience, subject: subject, issuedAt: issuedAt,
                expiresAt: issuedAt + life, tokenID: tokenID, app: expectations.app,
                environment: mark(of: verdict)?.rawValue, attestation: attestation,
                keyThumbprint: request.keyThumbprint, isLimitedUse: isLimitedUse,
                reference: subjects.isEmpty
                    ? nil : secret.reference(to: subjects, tokenID: tokenID, app: expectations.app))
            guard subjects.isEmpty || claims.reference != nil,
                let text = signer.sign(claims.json(adding: result + appClaims))
            else { throw .outage(KeyStoreOutage(.internalError, "the token could not be signed")) }
            tokens.append(
                IssuedToken(
                    audience: audience, text: text, expiresIn: Int(life),
                    scheme: request.keyThumbprint == nil ? .bearer : .dpop))
        }
        return TokenGrant(tokens: tokens, responseCode: nil, messageKey: nil)
    }

    /// The annotated checks that the policy lets tokens name.
    func named(_ verdict: Verdict?) -> [CheckResult] {
        let rule = expectations.configuration.shape.annotations
        return (verdict?.checks ?? []).filter { $0.status == .annotated && rule.names($0.check) }
            .prefix(Self.annotatedLimit).map(\.self)
    }

    /// The same token for each audience, in a format that does not contain it.
    func grant(
        _ text: String, _ life: Double, _ scheme: IssuedToken.Scheme, code: String? = nil,
        messageKey: SecretBytes? = nil
    ) -> TokenGrant {
        let tokens = request.audiences.map {
            IssuedToken(audience: $0, text: text, expiresIn: Int(life), scheme: scheme)
        }
        return TokenGrant(tokens: tokens, responseCode: code, messageKey: messageKey)
    }

    /// The ID of the policy in results.
    private var policyID: String? {
        expectations.policyDigest.map { EARClaims.policyID(issuer: expectations.configuration.issuer, digest: $0) }
    }

    /// What stands behind the evidence in place of a genuine device with an app of the store.
    private func mark(of verdict: Verdict) -> TokenMark? {
        if verdict.testAuthority != nil { return .test }
        switch voucher {
        case .caller: return .caller
        case .client: return .noEvidence
        case .platform: break
        }
        return verdict.isOfDevelopment ? .development : nil
    }

    /// A client attestation (draft-ietf-oauth-attestation-based-client-auth-11).
    private func attest(
        _ signer: TokenSigner, _ mark: TokenMark?, _ life: Double, at now: Date
    ) throws(VerificationError) -> TokenGrant {
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        guard let publicKey = request.publicKey, let clientID = expectations.configuration.shape.clientID,
            let text = signer.sign(
                ForeignClaims.clientAttestation(
                    issuer: expectations.configuration.issuer, clientID: clientID, publicKey: publicKey,
                    issuedAt: issuedAt, expiresAt: issuedAt + Int64(life), mark: mark),
                type: ForeignClaims.clientAttestationType)
        else { throw .outage(KeyStoreOutage(.internalError, "the client attestation could not be signed")) }
        return grant(text, life, .clientAttestation)
    }

    /// The tokens for evidence that gets none, if the policy wants the app not to learn of it: they are signed with a random secret.
    ///
    /// - Parameter verdict: the rejection; nil for evidence that was not judged to its end.
    package func decoy(for verdict: Verdict?, at now: Date) throws(VerificationError) -> TokenGrant? {
        guard hidesRejections, case .approov(let account) = signer else { return nil }
        return try decoy(like: account, for: verdict, at: now)
    }

    /// A new ID of a token.
    static func randomID() -> String { Base64.encode(ApproovTokenSecret.random(idLength), .url) }

    // MARK: The device

    /// The policy's app, and the device of an accepted verdict, for which an operator may have set a mode; nil for none.
    package func receiver(of verdict: Verdict) -> (app: String, device: LedgerSubject?) {
        (expectations.app, device(verdict.engineSubject))
    }

    /// The ledger's subjects that a block must reach: the key or device first, then the account.
    private func subjects(of verdict: Verdict) -> [LedgerSubject] {
        let subject = verdict.engineSubject
        let account = (request.record.account ?? subject?.account).map { LedgerSubject(.account, $0) }
        return [subject?.named, account].compactMap(\.self)
    }

    /// What stays the same while the app is installed on the device: the attested key or device; for evidence that names none, such as
    /// Google's, the key of the installation in the request. Nil without either.
    func device(_ subject: (any EngineSubject)?) -> LedgerSubject? {
        subject?.named ?? request.keyThumbprint.map(LedgerSubject.init(keyThumbprint:))
    }
}

extension EngineSubject {
    /// The key or the device of authentic evidence.
    fileprivate var named: LedgerSubject? { identifier.map { LedgerSubject(identifierKind, $0) } }
}

extension Verdict {
    /// Whether the evidence is of the platform's environment for development.
    var isOfDevelopment: Bool { engineSubject?.isOfDevelopment ?? false }
}
