import AssayCore
import FoundationEssentials

/// Assesses a token with the proof of its key: a pure function of its arguments.
struct TokenAssessor {
    /// How far the time of a proof may be off in each direction, in seconds.
    static let proofWindow: Double = 60

    let token: DecodedToken
    let expectations: TokenExpectations
    let schedule: TokenKeySchedule
    let secrets: [TokenSecret]
    let now: Date

    private var claims: TokenClaims { token.claims }
    private var configuration: TokenConfiguration { expectations.configuration }

    // MARK: The token

    func key() throws(CheckFailure) -> JWSKey {
        guard let keyID = token.jws.header.keyID else {
            throw CheckFailure(.missingKeyID, "the header names no key")
        }
        let keys = schedule.verifications(for: expectations.app)
        if let found = keys.first(where: { $0.keyID.isByteEqual(to: keyID) }) { return found.key }
        guard !schedule.isRetired(keyID) else {
            throw CheckFailure(.tokenKeyRetired, "the key \"\(keyID.excerpt)\" is retired")
        }
        throw CheckFailure(.unknownKeyID, "the issuer has no key with the kid \"\(keyID.excerpt)\"")
    }

    func verify(_ key: JWSKey) throws(CheckFailure) {
        do throws(JOSEError) { try key.verify(token.jws) } catch { throw CheckFailure(error) }
    }

    func requireClaims() throws(CheckFailure) -> PolicyAnswer {
        guard claims.issuer.isByteEqual(to: configuration.issuer) else {
            throw CheckFailure(
                .issuerDiffers, "expected iss \(configuration.issuer), found \"\(claims.issuer.excerpt)\"")
        }
        guard claims.app.isByteEqual(to: expectations.app) else {
            throw CheckFailure(.tokenOfAnotherApp, "expected app \(expectations.app), found \(claims.app.excerpt)")
        }
        let answer = try requireMark()
        guard claims.isLimitedUse || !configuration.limitedUse else {
            throw CheckFailure(
                .limitedUseRequired,
                "the token has no use: \(TokenClaims.limitedUse), and the policy says limitedUse: yes")
        }
        return answer
    }

    /// The policy accepts what stands behind the token. A token without evidence is noted.
    private func requireMark() throws(CheckFailure) -> PolicyAnswer {
        switch claims.mark {
        case nil: break
        case .test:
            guard configuration.testAuthorities == .allow else {
                throw CheckFailure(
                    .testTokenRefused,
                    "the token rests on a test authority or a debug token, and the policy says testAuthorities: refuse")
            }
        case .development:
            guard expectations.admitsDevelopmentBuilds || configuration.testAuthorities == .allow else {
                throw CheckFailure(
                    .developmentTokenRefused,
                    "the token rests on App Attest's development environment, which environments of the app does not list"
                )
            }
        case .caller:
            guard configuration.callerEvidence == .allow else {
                throw CheckFailure(
                    .callerTokenRefused,
                    "the token rests on evidence that only its writer vouches for, and the policy says callerEvidence: refuse"
                )
            }
        case .noEvidence:
            guard configuration.noEvidence == .allow else {
                throw CheckFailure(
                    .noEvidenceTokenRefused,
                    "the token rests on no evidence, and the policy says noEvidence: refuse")
            }
            return .annotated(
                Finding(.noEvidenceTokenNoted, "the token rests on no evidence: nothing shows what asked for it"))
        }
        return .passed
    }

    /// The first moment at which the token is not accepted: its own end, and for a policy that demands tokens for one use a minute
    /// after its issue at the latest.
    private var end: Double {
        configuration.limitedUse
            ? min(claims.expiresAt, claims.issuedAt + TokenConfiguration.limitedUseLife) : claims.expiresAt
    }

    func requireTime() throws(CheckFailure) {
        let present = now.timeIntervalSince1970
        guard present < end else {
            throw CheckFailure(
                .assayTokenExpired,
                "the token ended at \(RFC3339.format(end.time))"
                    + (end < claims.expiresAt ? ", a minute after its issue: the policy says limitedUse: yes" : ""))
        }
        if let start = claims.notBefore, present < start {
            throw CheckFailure(.tokenNotYetValid, "the token begins at \(RFC3339.format(start.time))")
        }
        guard claims.issuedAt <= present + TokenClaims.skew else {
            throw CheckFailure(
                .tokenFromFuture,
                "the token was issued at \(RFC3339.format(claims.issuedAt.time)), more than \(Int(TokenClaims.skew)) s ahead"
            )
        }
        let life = claims.expiresAt - claims.issuedAt
        guard life > 0, life <= TokenConfiguration.longestLife else {
            throw CheckFailure(.tokenLifetime, "the token lives \(Int64(life)) s, at most 3600 s are allowed")
        }
    }

    func requireAudience() throws(CheckFailure) {
        guard configuration.acceptedAudiences.containsBytes(of: claims.audience) else {
            throw CheckFailure(
                .audienceDiffers,
                "expected aud \(configuration.acceptedAudiences.joined(separator: " or ")), found \"\(claims.audience.excerpt)\""
            )
        }
    }

    /// Whether a block on the attested key cannot be compared: the token refers to it, and only its issuer can read that.
    var hasForeignReference: Bool { claims.reference != nil && secrets.isEmpty && !schedule.isIssuer }

    /// The ledger's subjects behind the token; none if it names none, or if this verifier is not the issuer. An issuer whose secret is
    /// gone refuses the token: otherwise it would accept those of blocked keys.
    func subjects() throws(CheckFailure) -> [LedgerSubject] {
        guard let reference = claims.reference, !hasForeignReference else { return [] }
        for secret in secrets {
            let found = secret.subjects(of: reference, tokenID: claims.tokenID, app: claims.app)
            if let found { return found }
        }
        throw CheckFailure(.referenceUnreadable, "no secret of the issuer opens the reference to the attested key")
    }

    // MARK: The proof

    /// Whether the token or its request needs the checks of a proof.
    var hasBinding: Bool {
        claims.keyThumbprint != nil || token.presentation.scheme == .dpop || !token.presentation.proofs.isEmpty
    }

    /// The proof of the request, verified.
    func proof() throws(CheckFailure) -> DPoPProof {
        let proofs = token.presentation.proofs
        guard let text = proofs.first else { throw CheckFailure(.proofMissing, "the request has no field DPoP") }
        guard proofs.count == 1 else {
            throw CheckFailure(.proofRepeated, "expected one field DPoP, found \(proofs.count)")
        }
        let proof = try DPoPProof(text)
        try proof.verify()
        return proof
    }

    func requireBinding(_ proof: DPoPProof) throws(CheckFailure) {
        guard let expected = claims.keyThumbprint, token.presentation.scheme == .dpop else {
            throw CheckFailure(
                .schemeDiffers,
                claims.keyThumbprint == nil
                    ? "the request has a proof, and the token is bound to no key"
                    : "the token is bound to a key, and comes with the scheme Bearer")
        }
        guard proof.thumbprint.isByteEqual(to: expected) else {
            throw CheckFailure(
                .proofKeyDiffers,
                "key \(proof.thumbprint) signed the proof, but the token is bound to key \(expected)")
        }
        guard let target = token.presentation.target else {
            throw CheckFailure(.proofTargetDiffers, "the token came without a request that the proof could be about")
        }
        guard proof.method.isByteEqual(to: target.method) else {
            throw CheckFailure(
                .proofMethodDiffers, "expected htm \(target.method.excerpt), found \(proof.method.excerpt)")
        }
        guard let received = ProofTarget(target.uri), let signed = ProofTarget(proof.target), received == signed else {
            throw CheckFailure(
                .proofTargetDiffers,
                "the proof is for \"\(proof.target.excerpt)\", the request for \"\(target.uri.excerpt)\"")
        }
        guard let hash = proof.tokenHash else { throw CheckFailure(.tokenHashMissing, "the proof has no ath") }
        let digest = Base64.encode(Digest.sha256(Array(token.presentation.token.utf8)), .url)
        guard hash.isByteEqual(to: digest) else {
            throw CheckFailure(.tokenHashDiffers, "ath is not the digest of the token")
        }
    }

    /// A token without a key comes as a bearer token, where policy allows it.
    func requireBearer() throws(CheckFailure) -> PolicyAnswer {
        guard configuration.key == .optional else {
            throw CheckFailure(.bindingRequired, "the token is bound to no key, and the policy says key: required")
        }
        return .notApplicable(Finding(.bindingRequired, "the token is bound to no key"))
    }

    func requireFreshness(_ proof: DPoPProof) throws(CheckFailure) {
        try Self.requireTime(of: proof, at: now)
        guard configuration.nonce == .required else { return }
        guard let nonce = proof.nonce else { throw CheckFailure(.nonceRequired, "the proof has no nonce") }
        guard secrets.contains(where: { $0.accepts(nonce: nonce, at: now) }) else {
            throw CheckFailure(.nonceDiffers, "the nonce of the proof is unknown or expired")
        }
    }

    /// A proof was made in the last minute, by a clock that may be a minute ahead.
    static func requireTime(of proof: DPoPProof, at now: Date) throws(CheckFailure) {
        let present = now.timeIntervalSince1970
        let age = present - proof.issuedAt
        guard age <= proofWindow else {
            throw CheckFailure(.proofTooOld, "the proof was made \(Int64(age)) s ago, at most 60 s are allowed")
        }
        guard age >= -proofWindow else {
            throw CheckFailure(.proofFromFuture, "the proof is \(Int64(-age)) s ahead, at most 60 s are allowed")
        }
        // By the clock of the device, as iat is.
        if let end = proof.expiresAt, present >= end + proofWindow {
            throw CheckFailure(.proofTooOld, "the proof ended at \(RFC3339.format(end.time)), more than 60 s ago")
        }
        if let start = proof.notBefore, present < start - proofWindow {
            throw CheckFailure(
                .proofFromFuture, "the proof begins at \(RFC3339.format(start.time)), more than 60 s ahead")
        }
    }

    /// The nonce for the next proof, where the policy demands one.
    var serverNonce: String? { configuration.nonce == .required ? secrets.first?.nonce(at: now) : nil }

    // MARK: The ledger

    /// What the ledger remembers: the proof by its key and ID, and a token for one use.
    func effects(_ proof: DPoPProof?) -> [LedgerEffect] {
        var effects: [LedgerEffect] = []
        if let proof {
            // One second more: the window's end is included.
            effects.append(
                remember(
                    "dpop\n\(proof.thumbprint)\n\(proof.proofID)", from: proof.issuedAt.time,
                    until: proof.issuedAt.time.addingTimeInterval(Self.proofWindow + 1)))
        }
        if claims.isLimitedUse {
            effects.append(
                remember(
                    "token\n\(claims.issuer)\n\(claims.tokenID)", from: claims.issuedAt.time,
                    until: claims.expiresAt.time.addingTimeInterval(1)))
        }
        return effects
    }

    private func remember(_ text: String, from start: Date, until end: Date) -> LedgerEffect {
        LedgerEffect(
            .assayTokenReplay,
            .rememberDigest(
                UsedDigest(
                    digest: Digest.sha256(Array(text.utf8)), app: expectations.app, kind: .assayToken, madeAt: start,
                    usedAt: now, until: end)))
    }
}

extension Double {
    var time: Date { Date(timeIntervalSince1970: self) }
}
