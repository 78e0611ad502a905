public import AssayCore

extension CheckID {
    /// The request carries one token of the right type, and it can be decoded.
    public static let assayTokenDecode = CheckID("assay.token.decode")
    /// The header names a published key of the issuer.
    public static let assayTokenKey = CheckID("assay.token.key")
    /// That key signed the token.
    public static let assayTokenSignature = CheckID("assay.token.signature")
    /// The token is of the policy's issuer, app and environment.
    public static let assayTokenClaims = CheckID("assay.token.claims")
    /// The token is in force.
    public static let assayTokenExpiry = CheckID("assay.token.expiry")
    /// The token is for this service.
    public static let assayTokenAudience = CheckID("assay.token.audience")
    /// The device that was attested is not blocked.
    public static let assayTokenSubject = CheckID("assay.token.subject")
    /// The proof of the key is well-formed, and signed by its key.
    public static let assayTokenProof = CheckID("assay.token.proof")
    /// The proof is of the token's key, and about this request and token.
    public static let assayTokenBinding = CheckID("assay.token.binding")
    /// The proof is fresh.
    public static let assayTokenFreshness = CheckID("assay.token.freshness")
    /// The account of the session is not blocked, and is that of the token.
    public static let assayTokenAccount = CheckID("assay.token.account")
    /// The proof, and a token for one use, come for the first time.
    public static let assayTokenReplay = CheckID("assay.token.replay")
}

/// The checks of tokens: their names and catalogue entries.
package enum TokenCheck {
    /// The entries, in the order in which the checks run.
    package static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            .assayTokenDecode, .gate,
            proves:
                "The request has one field `Authorization` with a token of the type `assay+jwt`, in its only encoding.",
            stops: """
                Tokens that two readers understand differently, and tokens of another type in place of one: an ID token or a \
                proof of the same key (RFC 8725 sections 2.8 and 3.11).
                """,
            lookAt:
                "The scheme, `DPoP` or `Bearer`; whether a proxy adds a field of its own; `assay inspect` on the token.",
            source: "RFC 7515 section 5.2, RFC 7519 section 7.2, RFC 8725 section 3.11", remedy: .newChallenge,
            codes: CheckCode.ofDecoding),
        CheckDefinition(
            .assayTokenKey, .gate,
            proves: """
                `kid` names a key that the issuer publishes now. Keys stay published until their last token has \
                expired.
                """,
            stops: "Tokens under keys of an attacker, and under keys that were retired because they leaked.",
            lookAt: "`assay keys list`; whether the service that issued the token shares its key store with this one.",
            source: "RFC 7515 section 4.1.4, RFC 8725 section 3.10", remedy: .newChallenge,
            codes: [.missingKeyID, .unknownKeyID, .tokenKeyRetired]),
        CheckDefinition(
            .assayTokenSignature, .gate, proves: "The key signed header and claims with ES256.",
            stops: "Forged and changed tokens; `none` and symmetric algorithms in the header.",
            lookAt:
                "Whether the token was changed on its way, or comes from an issuer with another key of the same ID.",
            source: "RFC 7515 section 5.2, RFC 8725 sections 3.1 and 3.2", remedy: .newChallenge,
            codes: CheckCode.ofSignature),
        CheckDefinition(
            .assayTokenClaims, .gate,
            proves: """
                `iss` is the policy's issuer byte for byte, `app` the app, `env` is allowed, and the token is for one use where the \
                policy says so.
                """,
            stops: """
                Tokens of another app or issuer under the same keys, tokens of test devices, of development builds and of devices \
                without evidence where they are not wanted, and tokens that could be used again and again.
                """,
            lookAt: """
                `tokens.issuer` in the policies of both services: a slash more is another issuer. `limitedUse`, `testAuthorities`, \
                `callerEvidence` and `noEvidence` of both.
                """,
            source: "RFC 7519 section 4.1.1, RFC 8725 section 3.8", remedy: .newChallenge,
            codes: [
                .issuerDiffers, .tokenOfAnotherApp, .testTokenRefused, .developmentTokenRefused, .callerTokenRefused,
                .noEvidenceTokenRefused, .noEvidenceTokenNoted, .limitedUseRequired,
            ]),
        CheckDefinition(
            .assayTokenExpiry, .gate,
            proves: """
                The token was issued before now, begins before now, ends after now, and lives no longer than an hour; under \
                `limitedUse: yes` no longer than a minute.
                """,
            stops: "Stolen tokens after their short life.",
            lookAt: "The clock of this server. A client renews a token with fresh evidence before it ends.",
            source: "RFC 7519 sections 4.1.4 to 4.1.6", remedy: .newChallenge,
            codes: [.assayTokenExpired, .tokenNotYetValid, .tokenFromFuture, .tokenLifetime]),
        CheckDefinition(
            .assayTokenAudience, .gate,
            proves: "`aud` is one of the audiences that the policy accepts here, byte for byte.",
            stops: "A service that got a token and presents it to another one.",
            lookAt: "`tokens.acceptedAudiences`, and the audience that the app asked for.",
            source: "RFC 7519 section 4.1.3, RFC 8725 section 3.9", remedy: .newChallenge,
            codes: [.audienceDiffers]),
        CheckDefinition(
            .assayTokenSubject, .gate,
            proves: "Neither the attested key or device nor its account is blocked in the ledger.",
            stops: "Tokens of a blocked device, which would otherwise work until they expire.",
            lookAt: "`assay ledger show`. Services that check tokens offline accept them until they end.",
            source: "Assay, blocks", remedy: .contactSupport, codes: [.blocked, .referenceUnreadable]),
        CheckDefinition(
            .assayTokenProof, .gate,
            proves: "A bound token comes with exactly one DPoP proof, signed by the public key in its header.",
            stops: "Stolen tokens without their key; proofs with symmetric, private or foreign keys.",
            lookAt: "How many fields `DPoP` reach this server; the header of the proof.",
            source: "RFC 9449 section 4.3", remedy: .retry,
            codes: CheckCode.ofDecoding + [
                .proofMissing, .proofRepeated, .proofType, .proofAlgorithm, .proofKey, .signatureInvalid,
            ]),
        CheckDefinition(
            .assayTokenBinding, .gate,
            proves: """
                The proof is of the key that the token names (`cnf.jkt`), for this method and target, and for this token (`ath`); a \
                token without a key comes as bearer token, where policy allows it.
                """,
            stops:
                "A proof that was made for another request, token or server; a bound token that is presented as a bearer token.",
            lookAt: """
                The target URI that the client addressed, without query and fragment: behind a gateway, the configured origin. The \
                key that the app named when it asked for the token.
                """,
            source: "RFC 9449 sections 4.3, 6.1 and 7.1", remedy: .retry,
            codes: [
                .bindingRequired, .schemeDiffers, .proofKeyDiffers, .proofMethodDiffers, .proofTargetDiffers,
                .tokenHashMissing, .tokenHashDiffers,
            ]),
        CheckDefinition(
            .assayTokenFreshness, .gate,
            proves:
                "The proof was made within 60 seconds of now, and contains a current nonce where policy demands one.",
            stops: "Proofs that an attacker prepared in advance or stored.",
            lookAt: "The clocks of device and server. With a nonce: the field `DPoP-Nonce` of the last answer.",
            source: "RFC 9449 sections 4.3, 8, 9 and 11.1", remedy: .retry,
            codes: [.proofTooOld, .proofFromFuture, .nonceRequired, .nonceDiffers]),
        .account(
            .assayTokenAccount,
            proves:
                "The account that the backend names for the request is not blocked, and is that of the token if it names one.",
            stops:
                "Evidence of accounts that were found to do harm, and a token of one user in the session of another.",
            codes: [.tokenOfAnotherAccount]),
        CheckDefinition(
            .assayTokenReplay, .ledger,
            proves: "This proof comes for the first time in its window, and so does a token for one use.",
            stops: "Recorded requests, sent again within the minute in which their proof is fresh.",
            lookAt: "Whether the client sent a request twice: each request needs a proof with a new `jti`.",
            source: "RFC 9449 section 11.1", remedy: .retry, codes: CheckCode.ofDigest),
    ]
}

extension CheckCode {
    static let tokenKeyRetired = CheckCode(
        "key-retired", "The key that signed the token is retired: it leaked, or its last token has expired.")
    static let issuerDiffers = CheckCode(
        "issuer-differs", "`iss` differs from the issuer in the policy. The comparison is byte for byte.")
    static let tokenOfAnotherApp = CheckCode(
        "app-differs", "The token was issued for another app of the policy.")
    static let testTokenRefused = CheckCode(
        "test-authority",
        "The token rests on a test authority or a debug token, and the policy accepts no such tokens.",
        remedy: .nothing)
    static let developmentTokenRefused = CheckCode(
        "development-environment",
        """
        The token rests on App Attest's development environment, a build from Xcode, and `environments` of the app does not list it.
        """,
        remedy: .updateApp)
    static let callerTokenRefused = CheckCode(
        "caller-evidence",
        "The token rests on evidence that only its writer vouches for, and the policy accepts no such tokens.",
        remedy: .nothing)
    static let noEvidenceTokenRefused = CheckCode(
        "no-evidence-refused", "The token rests on no evidence, and the policy accepts no such tokens.",
        remedy: .newAttestation)
    static let noEvidenceTokenNoted = CheckCode(
        "no-evidence", "The token rests on no evidence, and the policy accepts that: trust the request accordingly.")
    static let limitedUseRequired = CheckCode(
        "limited-use-required",
        "The token may be used again and again, and the policy demands tokens for one use: ask for one with `limitedUse`."
    )
    static let tokenNotYetValid = CheckCode(
        "token-not-yet-valid",
        "`nbf` is in the future: the token is not in force yet. Compare the clocks of the servers.",
        remedy: .retry)
    /// The token has ended: the client attests again.
    public static let assayTokenExpired = CheckCode(
        "token-expired", "The token has ended: the client attests again, with a new challenge.")
    static let tokenFromFuture = CheckCode(
        "token-from-future", "The token was issued in the future: compare the clocks of the servers.", remedy: .retry)
    static let tokenLifetime = CheckCode(
        "lifetime-not-allowed", "The token ends before it was issued, or lives longer than any token of Assay.")
    static let audienceDiffers = CheckCode(
        "audience-differs", "The token is for another audience than those that the policy accepts here.")
    static let referenceUnreadable = CheckCode(
        "reference-unreadable",
        "The sealed reference to the attested key cannot be opened: the token was issued under another secret.",
        remedy: .newChallenge)
    static let proofMissing = CheckCode(
        "proof-missing", "The token is bound to a key, and the request has no field DPoP with a proof of it.")
    static let proofRepeated = CheckCode(
        "proof-repeated", "The request has more than one field DPoP.", remedy: .nothing)
    static let proofType = CheckCode(
        "proof-type-differs", "`typ` of the proof is not dpop+jwt: the client sent another kind of signed text.")
    static let proofAlgorithm = CheckCode(
        "proof-algorithm", "The proof names another algorithm than ES256; a symmetric one proves nothing.")
    static let proofKey = CheckCode(
        "proof-key", "The header of the proof contains no P-256 public key, or contains a private key.")
    static let bindingRequired = CheckCode(
        "binding-required", "The token is bound to no key, and the policy demands one.", remedy: .newChallenge)
    static let schemeDiffers = CheckCode(
        "scheme-differs",
        "A bound token was sent as Bearer, or an unbound token was sent with a proof: a downgrade.")
    static let proofKeyDiffers = CheckCode(
        "key-differs", "The proof is of another key than the one that the token is bound to: a stolen token.")
    static let proofMethodDiffers = CheckCode("method-differs", "The proof is for another method.")
    static let proofTargetDiffers = CheckCode(
        "target-differs",
        "The proof is for another target: another server or path, or an origin that is not configured.")
    static let tokenHashMissing = CheckCode("token-hash-missing", "The proof names no token: `ath` is missing.")
    static let tokenHashDiffers = CheckCode("token-hash-differs", "The proof was made for another token.")
    static let proofTooOld = CheckCode("proof-too-old", "The proof is older than 60 seconds.")
    static let proofFromFuture = CheckCode(
        "proof-from-future", "The proof is more than 60 seconds ahead: the clock of the device is wrong.")
    static let nonceRequired = CheckCode(
        "nonce-required", "The policy demands a nonce of the server in proofs: take it from DPoP-Nonce.")
    static let nonceDiffers = CheckCode(
        "nonce-differs", "The nonce of the proof is unknown or expired: take the new one from DPoP-Nonce.")
    static let tokenOfAnotherAccount = CheckCode(
        "token-of-another-account", "The attested key behind the token belongs to another account than the session.")
}

extension EvidenceKind {
    /// A token that Assay issued after an attestation, with the proof of its key if it is bound to one.
    public static let assayToken = EvidenceKind("assay.token")
}
