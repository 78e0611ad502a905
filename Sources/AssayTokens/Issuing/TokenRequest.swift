public import AssayCore
import AssayPrimitives

/// A request for a token: evidence that covers a challenge of the ledger, the audience, and the key that the token will be bound to.
///
/// The app asks for a challenge, computes ``evidenceChallenge(_:audience:keyThumbprint:binding:)``, and makes its evidence over that value in
/// place of the challenge itself. A party between app and backend cannot have the token bound to another key.
public struct TokenRequest: Sendable {
    /// The evidence.
    public let record: EvidenceRecord
    /// The challenge as the ledger issued it: base64url of 32 bytes. For `play-integrity.standard`, which consumes none, any text of
    /// this form that the client drew at random.
    public let challenge: String
    /// For whom the token is.
    public let audience: String
    /// The thumbprint of the client's P-256 key (RFC 7638); nil for a bearer token.
    public let keyThumbprint: String?
    /// The client's public key, an uncompressed point of P-256, which the formats of Approov and of OAuth contain; nil if only its
    /// thumbprint is known.
    public let publicKey: [UInt8]?
    /// Base64 of the SHA-256 of what Approov's token is bound to, its claim `pay`; nil for none.
    public let binding: String?
    /// Whether the token is for one use.
    public let isLimitedUse: Bool
    /// Whether the token has the claims of EAR.
    public let hasEAR: Bool

    /// Composes a request. With `publicKey`, `keyThumbprint` is its thumbprint.
    public init(
        record: EvidenceRecord, challenge: String, audience: String, keyThumbprint: String? = nil,
        publicKey: [UInt8]? = nil, binding: String? = nil, isLimitedUse: Bool = false, hasEAR: Bool = false
    ) {
        self.record = record
        self.challenge = challenge
        self.audience = audience
        self.keyThumbprint = publicKey.map(JWKThumbprint.p256) ?? keyThumbprint
        self.publicKey = publicKey
        self.binding = binding
        self.isLimitedUse = isLimitedUse
        self.hasEAR = hasEAR
    }

    /// The value that evidence for a token contains in place of the challenge: SHA-256 of `assay-token`, the challenge, the audience
    /// and the thumbprint, each as text and followed by a line feed. Evidence may contain the 32 bytes, or their base64url text.
    ///
    /// - Parameters:
    ///   - keyThumbprint: nil, which counts as an empty line, for a bearer token.
    ///   - binding: ``binding``, a further line; nil for none.
    public static func evidenceChallenge(
        _ challenge: String, audience: String, keyThumbprint: String?, binding: String? = nil
    ) -> [UInt8] {
        let line = binding.map { "\($0)\n" } ?? ""
        return Digest.sha256(Array("assay-token\n\(challenge)\n\(audience)\n\(keyThumbprint ?? "")\n\(line)".utf8))
    }

    /// The value of this request.
    var evidenceChallenge: [UInt8] {
        Self.evidenceChallenge(challenge, audience: audience, keyThumbprint: keyThumbprint, binding: binding)
    }
}

/// The answer to a request for a token.
@nonexhaustive
public enum TokenAnswer: Sendable {
    /// The evidence was accepted.
    case issued(IssuedToken, Verdict)
    /// The evidence was rejected; there is no token. ``Verdict/remedy`` says what the client can do.
    case rejected(Verdict)
    /// The evidence was rejected, and the policy says `tokens.refused: token`: a token that no backend accepts.
    case decoy(IssuedToken, Verdict)
    /// No token is issued for the evidence, by the error: it does not cover the request, or no platform stands for it. The policy says
    /// `tokens.refused: token`, so this is a token that no backend accepts. Nothing was used up.
    case concealed(IssuedToken, RequestError)
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
        /// (draft-ietf-oauth-attestation-based-client-auth-08).
        case clientAttestation = "OAuth-Client-Attestation"
    }

    /// The token, a compact JWS or JWE.
    public let text: String
    /// Its life in seconds.
    public let expiresIn: Int
    /// How it is presented.
    public let scheme: Scheme

    init(text: String, expiresIn: Int, scheme: Scheme) {
        (self.text, self.expiresIn, self.scheme) = (text, expiresIn, scheme)
    }
}
