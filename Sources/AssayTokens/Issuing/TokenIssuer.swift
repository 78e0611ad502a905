package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Issues the token of one request. It is prepared before the evidence is committed: no evidence is used up when no key can sign.
package struct TokenIssuer: Sendable {
    /// The most names of annotated checks in a token.
    private static let annotatedLimit = 32
    /// The length of a token's ID in bytes.
    private static let idLength = 16

    private let signer: TokenSigner
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
                RequestError(.unknownApp, "the evidence is of no app with \(TokenConfiguration.policyField)"))
        }
        let bound: Assessment
        do throws(RequestError) {
            try demand(request, expectations)
            bound = try bind(request, assessment, expectations)
        } catch { throw .request(error) }
        let (schedule, secrets) = try await engine.material(at: now)
        guard let signer = schedule.signer, let secret = secrets.first else {
            throw .request(
                RequestError(
                    .noKey,
                    "no key signs tokens at \(RFC3339.format(now)), or there is no secret for their subjects; assay tokens "
                        + "rotate makes both"))
        }
        return (TokenIssuer(signer: signer, secret: secret, request: request, expectations: expectations), bound)
    }

    // MARK: The request

    private static func demand(_ request: TokenRequest, _ app: TokenExpectations) throws(RequestError) {
        let audiences = app.configuration.audiences
        guard audiences.containsBytes(of: request.audience) else {
            throw RequestError(
                .unknownAudience,
                "app \(app.app.excerpt) has tokens for \(audiences.joined(separator: ", ")), found "
                    + "\"\(request.audience.excerpt)\"")
        }
        if let thumbprint = request.keyThumbprint {
            guard JWKThumbprint.isThumbprint(thumbprint) else {
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
                "\(request.record.kind) is no evidence for a token: the ledger would accept it any number of times")
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
            "the evidence does not cover this request: in place of the challenge it contains SHA-256 of assay-token, the "
                + "challenge, the audience and the key's thumbprint, each followed by a line feed; and the policy says "
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
        let isLimitedUse = request.isLimitedUse || configuration.limitedUse
        let life = Int64(
            isLimitedUse ? min(configuration.life, TokenConfiguration.limitedUseLife) : configuration.life)
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        let subjects = self.subjects(of: verdict)
        var generator = SystemRandomNumberGenerator()
        let tokenID = Base64.encode(
            (0..<Self.idLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, .url)
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
        guard subjects.isEmpty || claims.reference != nil, let text = signer.sign(claims.json) else {
            throw .outage(KeyStoreOutage(.internalError, "the token could not be signed"))
        }
        return IssuedToken(
            text: text, expiresIn: Int(life), scheme: request.keyThumbprint == nil ? .bearer : .dpop)
    }

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
