public import AssayCore
import AssayPrimitives

/// A request for tokens: evidence that covers a challenge of the ledger, the audiences, and the key that the tokens will be bound to.
///
/// The app asks for a challenge, computes ``evidenceChallenge(_:audiences:keyThumbprint:binding:claims:)``, and makes its evidence over that
/// value in place of the challenge itself. A party between app and backend cannot have the tokens bound to another key.
public struct TokenRequest: Sendable {
    /// The evidence.
    public let record: EvidenceRecord
    /// The challenge as the ledger issued it: base64url of 33 bytes. For `play-integrity.standard`, which consumes none, any text of
    /// this form that the client drew at random.
    public let challenge: String
    /// For whom the tokens are: one token for each audience, in this order.
    public let audiences: [String]
    /// The thumbprint of the client's P-256 key (RFC 7638); nil for a bearer token.
    public let keyThumbprint: String?
    /// The client's public key, an uncompressed point of P-256, which the formats of Approov and of OAuth contain; nil if only its
    /// thumbprint is known.
    public let publicKey: [UInt8]?
    /// A proof that the client has the private half of ``publicKey``: a DPoP proof (RFC 9449) whose `htm` is `POST`, whose `htu` is the
    /// issuer with `/v1/tokens`, and whose `nonce` is ``challenge``. Client attestations need it; nil for none.
    public let keyProof: String?
    /// Base64 of the SHA-256 of what Approov's token is bound to, its claim `pay`; nil for none.
    public let binding: String?
    /// The IP address of the client, as the caller of the issuer saw it, for the claim `ip` of Approov's format; nil for the one of the
    /// record.
    public let address: String?
    /// Whether the tokens are for one use each.
    public let isLimitedUse: Bool
    /// Whether the tokens have the claims of EAR.
    public let hasEAR: Bool
    /// The text of a JSON object with claims of the app, which the policy's `tokens.claims` allows; nil for none. The tokens contain
    /// them as `claims`.
    public let claims: String?
    /// The configuration that the app has; nil if it wants none. The evidence does not cover it.
    public let configuration: HeldConfiguration?

    /// Composes a request. With `publicKey`, `keyThumbprint` is its thumbprint.
    public init(
        record: EvidenceRecord, challenge: String, audiences: [String], keyThumbprint: String? = nil,
        publicKey: [UInt8]? = nil, keyProof: String? = nil, binding: String? = nil, address: String? = nil,
        isLimitedUse: Bool = false,
        hasEAR: Bool = false, claims: String? = nil, configuration: HeldConfiguration? = nil
    ) {
        (self.record, self.challenge, self.audiences) = (record, challenge, audiences)
        self.keyThumbprint = publicKey.map(JWKThumbprint.p256) ?? keyThumbprint
        (self.publicKey, self.keyProof, self.binding) = (publicKey, keyProof, binding)
        (self.address, self.isLimitedUse, self.hasEAR) = (address, isLimitedUse, hasEAR)
        (self.claims, self.configuration) = (claims, configuration)
    }

    /// The value that evidence for tokens contains in place of the challenge: SHA-256 of `assay-token`, the challenge, the audiences
    /// and the thumbprint, each as text and followed by a line feed. Evidence may contain the 32 bytes, or their base64url text.
    ///
    /// - Parameters:
    ///   - audiences: ``audiences``, on one line with a space between two. No audience contains a space.
    ///   - keyThumbprint: nil, which counts as an empty line, for a bearer token.
    ///   - binding: ``binding``, a further line; nil for none.
    ///   - claims: ``claims``, whose SHA-256 digest in base64url is a further line; nil for none.
    public static func evidenceChallenge(
        _ challenge: String, audiences: [String], keyThumbprint: String?, binding: String? = nil, claims: String? = nil
    ) -> [UInt8] {
        let lines = ["assay-token", challenge, audiences.joined(separator: " "), keyThumbprint ?? ""]
        let more = [binding, claims.map(AppClaims.line)].compactMap(\.self)
        return Digest.sha256(Array((lines + more).map { $0 + "\n" }.joined().utf8))
    }

    /// The value of this request.
    var evidenceChallenge: [UInt8] {
        Self.evidenceChallenge(
            challenge, audiences: audiences, keyThumbprint: keyThumbprint, binding: binding, claims: claims)
    }
}

/// The answer to a request for tokens.
@nonexhaustive
public enum TokenAnswer: Sendable {
    /// The evidence was accepted.
    case issued(TokenGrant, Verdict)
    /// The evidence was rejected; there is no token. ``Verdict/remedy`` says what the client can do.
    case rejected(Verdict)
    /// The evidence was rejected, and the policy says `tokens.refused: token`: tokens that no backend accepts.
    case decoy(TokenGrant, Verdict)
    /// No token is issued for the evidence, by the error: it does not cover the request, or no platform stands for it. The policy says
    /// `tokens.refused: token`, so these are tokens that no backend accepts. Nothing was used up.
    case concealed(TokenGrant, RequestError)
}

/// What an app gets for accepted evidence.
public struct TokenGrant: Sendable {
    /// A token for each audience of the request, in its order; at least one.
    public let tokens: [IssuedToken]
    /// In Approov's format, the attestation response code: what stands behind the tokens, for the app's log and for support. Only the
    /// issuer can read it (`assay explain`).
    public let responseCode: String?
    /// In Approov's format, the account's key for message signing (HMAC-SHA-256, RFC 9421), if the policy says `messageKey: deliver`.
    /// A secret, which must not be logged.
    public let messageKey: SecretBytes?
    /// The app's signed configuration, a compact JWS, if its policy says `tokens.configuration: pins` and the app does not have it yet.
    public package(set) var configuration: String?
}

/// A token that was issued.
public struct IssuedToken: Sendable {
    /// The scheme with which the token is presented.
    @nonexhaustive
    public enum Scheme: String, Sendable {
        /// With a proof of its key (RFC 9449).
        case dpop = "DPoP"
        /// Alone (RFC 6750).
        case bearer = "Bearer"
        /// In the field `Approov-Token`.
        case approov = "Approov-Token"
        /// In the field `OAuth-Client-Attestation`, with a proof of its key
        /// (draft-ietf-oauth-attestation-based-client-auth).
        case clientAttestation = "OAuth-Client-Attestation"
    }

    /// For whom it was asked. The formats of Approov and of OAuth do not contain it: the token is then the same for all audiences.
    public let audience: String
    /// The token, a compact JWS or JWE.
    public let text: String
    /// Its life in seconds.
    public let expiresIn: Int
    /// How it is presented.
    public let scheme: Scheme
}
