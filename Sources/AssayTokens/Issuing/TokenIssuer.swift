package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Issues the token of one request. It is prepared before the evidence is committed: no evidence is used up when no key can sign.
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
    private let secret: TokenSecret
    private let request: TokenRequest
    private let expectations: TokenExpectations

    /// Prepares to issue a token for evidence that was assessed and is acceptable.
    ///
    /// - Returns: the issuer, and the assessment to commit, whose acceptance consumes the challenge of the request.
    /// - Throws: `.request` for a request that no evidence helps, or without a key; `.outage` when the keys cannot be read.
    package static func prepare(
        _ request: TokenRequest, _ assessment: Assessment, _ engine: TokenEngine, at now: Date
    ) async throws(VerificationError) -> (issuer: TokenIssuer, bound: Assessment) {
        guard let expectations = try engine.apps.app(assessment.app) else {
            throw .request(
                RequestError(
                    .unknownApp,
                    "the app of the evidence has no section \(TokenConfiguration.policyField) in the policy"))
        }
        let bound: Assessment
        do throws(RequestError) {
            try demand(request.audience, request.keyThumbprint, expectations)
            try demandFormat(request, expectations)
            bound = try bind(request, assessment, expectations)
        } catch { throw .request(error) }
        let (schedule, secrets) = try await engine.material(at: now)
        if expectations.configuration.shape.format == .approov {
            guard let account = try await engine.approovSecret(for: expectations.app, at: now),
                let secret = secrets.first
            else {
                throw .request(
                    RequestError(
                        .noKey,
                        "there is no secret of the Approov account, or none for the subjects of tokens; assay keys add NAME --use "
                            + "\(ApproovTokenSecret.purpose) and assay tokens rotate make them"))
            }
            return (
                TokenIssuer(signer: .approov(account), secret: secret, request: request, expectations: expectations),
                bound
            )
        }
        guard let signer = schedule.signer, let secret = secrets.first else {
            throw .request(
                RequestError(
                    .noKey,
                    "no key signs tokens at \(RFC3339.format(now)), or there is no secret for their subjects; assay tokens "
                        + "rotate makes both"))
        }
        return (TokenIssuer(signer: .key(signer), secret: secret, request: request, expectations: expectations), bound)
    }

    // MARK: The request

    static func demand(_ audience: String, _ app: TokenExpectations) throws(RequestError) {
        let audiences = app.configuration.audiences
        guard audiences.containsBytes(of: audience) else {
            throw RequestError(
                .unknownAudience,
                "app \(app.app.excerpt) has tokens for \(audiences.joined(separator: ", ")), found "
                    + "\"\(audience.excerpt)\"")
        }
    }

    static func demand(
        _ audience: String, _ keyThumbprint: String?, _ app: TokenExpectations
    ) throws(RequestError) {
        try demand(audience, app)
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

    private static func demandFormat(_ request: TokenRequest, _ app: TokenExpectations) throws(RequestError) {
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

    /// The assessment, if the evidence covers challenge, audience and key of the request.
    private static func bind(
        _ request: TokenRequest, _ assessment: Assessment, _ app: TokenExpectations
    ) throws(RequestError) -> Assessment {
        guard assessment.testAuthority == nil || app.configuration.testAuthorities == .allow else {
            throw RequestError(
                .notExchangeable,
                "a test authority signed the evidence, and the policy says tokens.testAuthorities: refuse")
        }
        guard request.record.kind != .assayToken, !assessment.effects.isEmpty else {
            throw RequestError(
                .notExchangeable,
                "no token is issued for this \(request.record.kind): nothing in the ledger prevents its reuse. "
                    + "Use evidence with challenge: ledger")
        }
        let derived = request.evidenceChallenge
        // The challenge in the form in which the ledger issued it.
        if let challenge = try? Base64.decode(request.challenge, .url), challenge.count == 32 {
            if let bound = assessment.consuming(challenge, insteadOf: derived) { return bound }
            // Standard tokens consume no challenge: Google signs the request hash, and the ledger remembers the token.
            if request.record.kind.name.isByteEqual(to: "play-integrity.standard"),
                case .text(let hash)? = request.record.evidence["requestHash"]?.content,
                hash.isByteEqual(to: Base64.encode(derived, .url))
            {
                return assessment
            }
        }
        throw RequestError(
            .evidenceNotBound,
            "the evidence is not bound to this request: its challenge must be SHA-256 of assay-token, the challenge, "
                + "the audience and the key's thumbprint, each followed by a line feed; the policy must say "
                + "challenge: ledger")
    }

    // MARK: The token

    /// The token for an accepted verdict.
    /// - Throws: `.outage` if the library cannot sign.
    package func issue(for verdict: Verdict, at now: Date) throws(VerificationError) -> IssuedToken {
        guard verdict.outcome == .accept else {
            throw .outage(KeyStoreOutage(.internalError, "a token was asked for with rejected evidence"))
        }
        let configuration = expectations.configuration
        let signer: TokenSigner
        switch self.signer {
        case .approov(let account): return try issue(under: account, for: verdict, at: now)
        case .key(let key): signer = key
        }
        if configuration.shape.format == .clientAttestation, let clientID = configuration.shape.clientID {
            return try attest(clientID, signer, at: now)
        }
        let isLimitedUse = request.isLimitedUse || configuration.limitedUse
        let life = Int64(
            isLimitedUse ? min(configuration.life, TokenConfiguration.limitedUseLife) : configuration.life)
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        let subjects = self.subjects(of: verdict)
        let tokenID = Self.randomID()
        let claims = TokenClaims(
            issuer: configuration.issuer, audience: request.audience,
            subject: subjects.first.map { secret.pseudonym(of: $0, app: expectations.app) }, issuedAt: issuedAt,
            expiresAt: issuedAt + life, tokenID: tokenID, app: expectations.app,
            environment: verdict.testAuthority.map { _ in "test" },
            attestation: TokenClaims.Attestation(
                kind: verdict.kind.name, at: Int64(verdict.judgedAt.timeIntervalSince1970.rounded(.down)),
                annotated: verdict.annotated.prefix(Self.annotatedLimit).map(\.name)),
            keyThumbprint: request.keyThumbprint, isLimitedUse: isLimitedUse,
            reference: subjects.isEmpty
                ? nil : secret.reference(to: subjects, tokenID: tokenID, app: expectations.app))
        let result = request.hasEAR ? EARClaims(verdict).members(nonce: request.challenge) : []
        guard subjects.isEmpty || claims.reference != nil, let text = signer.sign(claims.json(adding: result)) else {
            throw .outage(KeyStoreOutage(.internalError, "the token could not be signed"))
        }
        return IssuedToken(
            text: text, expiresIn: Int(life), scheme: request.keyThumbprint == nil ? .bearer : .dpop)
    }

    /// A client attestation (draft-ietf-oauth-attestation-based-client-auth-08).
    private func attest(
        _ clientID: String, _ signer: TokenSigner, at now: Date
    ) throws(VerificationError) -> IssuedToken {
        let life = Int64(expectations.configuration.life)
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        guard let publicKey = request.publicKey,
            let text = signer.sign(
                ForeignClaims.clientAttestation(
                    issuer: expectations.configuration.issuer, clientID: clientID, publicKey: publicKey,
                    issuedAt: issuedAt, expiresAt: issuedAt + life), type: ForeignClaims.clientAttestationType)
        else { throw .outage(KeyStoreOutage(.internalError, "the client attestation could not be signed")) }
        return IssuedToken(text: text, expiresIn: Int(life), scheme: .clientAttestation)
    }

    // MARK: Approov's format

    private func issue(
        under account: ApproovTokenSecret, for verdict: Verdict, at now: Date
    ) throws(VerificationError) -> IssuedToken {
        let device = subjects(of: verdict).first.flatMap {
            try? Base64.decode(secret.pseudonym(of: $0, app: expectations.app), .url)
        }
        return try Self.approov(
            request, expectations, under: account, device: device.map { Array($0.prefix(16)) }, verdict, at: now)
    }

    /// The token for rejected evidence, if the policy wants the app not to learn of it: it is signed with a random secret.
    package static func decoy(
        _ request: TokenRequest, for verdict: Verdict, _ engine: TokenEngine, at now: Date
    ) async throws(VerificationError) -> IssuedToken? {
        guard let app = verdict.app, let expectations = engine.apps.all.first(where: { $0.app.isByteEqual(to: app) }),
            expectations.configuration.shape.format == .approov, expectations.configuration.shape.refused == .token
        else { return nil }
        let account = try await engine.approovSecret(for: app, at: now)
        return try approov(
            request, expectations, under: ApproovTokenSecret(keyID: account?.keyID), device: nil, verdict, at: now)
    }

    private static func approov(
        _ request: TokenRequest, _ expectations: TokenExpectations, under account: ApproovTokenSecret, device: [UInt8]?,
        _ verdict: Verdict, at now: Date
    ) throws(VerificationError) -> IssuedToken {
        let life = expectations.configuration.life
        var address: String?
        if case .text(let text)? = request.record.evidence["address"]?.content { address = text }
        let claims = ForeignClaims.Approov(
            properties: verdict.checks.filter { $0.status == .annotated }.prefix(annotatedLimit).map(
                ForeignClaims.Approov.property),
            code: ForeignClaims.Approov.code(of: verdict), device: device ?? ApproovTokenSecret.random(16),
            expiresAt: Int64((now.timeIntervalSince1970 + life).rounded(.down)), address: address,
            publicKey: request.publicKey, binding: request.binding)
        guard let text = account.token(claims.json, expectations.configuration.shape.approovForm) else {
            throw .outage(KeyStoreOutage(.internalError, "the token could not be signed"))
        }
        return IssuedToken(text: text, expiresIn: Int(life), scheme: .approov)
    }

    /// A new ID of a token.
    static func randomID() -> String { Base64.encode(ApproovTokenSecret.random(idLength), .url) }

    /// The ledger's subjects that a block must reach: the key or device first, then the account.
    private func subjects(of verdict: Verdict) -> [LedgerSubject] {
        let subject = verdict.engineSubject
        let key = subject.flatMap { subject in
            subject.identifier.map { LedgerSubject(subject.identifierKind, $0) }
        }
        let account = (request.record.account ?? subject?.account).map { LedgerSubject(.account, $0) }
        return [key, account].compactMap(\.self)
    }
}
