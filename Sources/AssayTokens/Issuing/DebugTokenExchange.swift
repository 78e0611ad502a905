package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// A request for a token with a debug token of the policy in place of evidence. No description contains the secret.
public struct DebugTokenRequest: Sendable {
    /// The secret of the debug token, its text.
    let secret: SecretBytes
    /// The policy's app.
    public let app: String
    /// For whom the token is.
    public let audience: String
    /// The thumbprint of the client's P-256 key (RFC 7638); nil for a bearer token.
    public let keyThumbprint: String?
    /// Whether the token is for one use.
    public let isLimitedUse: Bool

    /// Composes a request.
    public init(
        debugToken secret: String, app: String, audience: String, keyThumbprint: String? = nil,
        isLimitedUse: Bool = false
    ) {
        self.secret = SecretBytes(secret.utf8)
        (self.app, self.audience) = (app, audience)
        (self.keyThumbprint, self.isLimitedUse) = (keyThumbprint, isLimitedUse)
    }
}

extension TokenEngine {
    /// Exchanges a debug token for a token with `env: test`, which only policies with `testAuthorities: allow` accept.
    ///
    /// - Returns: the token, and the name of the debug token.
    /// - Throws: `.request` for an unknown app, a debug token that does not count, and a request that the policy does not allow;
    ///   `.outage` when the keys cannot be read.
    package func exchange(
        _ request: DebugTokenRequest, at now: Date
    ) async throws(VerificationError) -> (token: IssuedToken, name: String) {
        guard let expectations = try apps.app(request.app) else {
            throw .request(
                RequestError(.unknownApp, "the policy has no app with \(TokenConfiguration.policyField)"))
        }
        let configuration = expectations.configuration
        let secret = request.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        // Checked first and with one answer for every reason: a caller without a debug token learns nothing about the
        // policy.
        guard configuration.testAuthorities == .allow,
            let debugToken = DebugToken.matching(secret, among: configuration.debugTokens, at: now),
            case let end = debugToken.until.timeIntervalSince1970.rounded(.down), end > issuedAt
        else {
            throw .request(
                RequestError(
                    .notExchangeable,
                    "app \(expectations.app.excerpt) accepts no debug token with this value at "
                        + "\(RFC3339.format(now)): it is unknown, not yet valid, expired, or removed from the policy"))
        }
        do throws(RequestError) {
            try TokenIssuer.require([request.audience], request.keyThumbprint, expectations)
        } catch { throw .request(error) }
        guard let signer = try await material(at: now).0.signer else {
            throw .request(
                RequestError(
                    .noKey, "no key signs tokens at \(RFC3339.format(now)); assay tokens rotate makes one"))
        }
        let isLimitedUse = request.isLimitedUse || configuration.limitedUse
        let life = isLimitedUse ? min(configuration.life, TokenConfiguration.limitedUseLife) : configuration.life
        let expiresAt = min(issuedAt + life.rounded(.down), end)
        let claims = TokenClaims(
            issuer: configuration.issuer, audience: request.audience,
            subject: DebugToken.subjectPrefix + debugToken.name, issuedAt: issuedAt, expiresAt: expiresAt,
            tokenID: TokenIssuer.randomID(), app: expectations.app, environment: TokenMark.test.rawValue,
            attestation: TokenClaims.Attestation(kind: DebugToken.attestationKind, at: issuedAt, annotated: []),
            keyThumbprint: request.keyThumbprint, isLimitedUse: isLimitedUse, reference: nil)
        guard let text = signer.sign(claims.json) else {
            throw .outage(KeyStoreOutage(.internalError, "the token could not be signed"))
        }
        let token = IssuedToken(
            audience: request.audience, text: text, expiresIn: Int(expiresAt - issuedAt),
            scheme: request.keyThumbprint == nil ? .bearer : .dpop)
        return (token, debugToken.name)
    }
}
