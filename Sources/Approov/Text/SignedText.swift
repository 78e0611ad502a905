public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The text and its signature are well-formed.
    public static let approovTextDecode = CheckID("approov.text.decode")
    /// The token names a key of the account.
    public static let approovTextKey = CheckID("approov.text.key")
    /// The text contains the token.
    public static let approovTextToken = CheckID("approov.text.token")
    /// The account's key signed the text.
    public static let approovTextSignature = CheckID("approov.text.signature")
}

extension ApproovCheck {
    static let textDecodeEntry = CheckDefinition(
        .approovTextDecode, .gate,
        proves: "The signature is standard base64 of 32 bytes, and there is a text of at most 1 MiB.",
        stops: "Signatures that are cut or encoded otherwise, and texts made to exhaust the server.",
        lookAt: "Whether the app sends what `getMessageSignature` returned, or nothing because it got no key.",
        source: accountSigning, remedy: .nothing, codes: CheckCode.ofDecoding)
    static let textKeyEntry = CheckDefinition(
        .approovTextKey, .gate,
        proves: "The token names a live message signing key of the account in `mskid`.",
        stops: "Texts whose signature no attested app can have made.",
        lookAt: "Whether message signing is enabled for the account; `assay keys list` for `mskid`.",
        source: accountSigning, remedy: .contactSupport,
        codes: [.messageKeyIDMissing, .keyNotLive, .unknownKeyID])
    static let textTokenEntry = CheckDefinition(
        .approovTextToken, .gate,
        proves: "The signed text contains the token that came with it, and the ledger can remember the text.",
        stops: "A signed text that is sent again with a newer token.",
        lookAt: "Whether the app puts the token that it sends into the text; how long the token lives.",
        source: accountSigning, remedy: .retry, codes: [.tokenNotInText, .textTokenLivesTooLong])
    static let textSignatureEntry = CheckDefinition(
        .approovTextSignature, .gate,
        proves: "An app with the account's message signing key signed this text.",
        stops: "Texts that were changed, and texts of apps that failed attestation: those get a random key.",
        lookAt: "Whether the server has the same bytes that the app signed; whether Approov changed the key.",
        source: accountSigning, remedy: .retry, codes: [.textSignatureInvalid, .authenticatedWithKey])

    private static let accountSigning = "Approov SDK, getMessageSignature; RFC 2104"
}

/// A text and its decoded signature.
struct SignedText {
    /// The length of a signature in bytes: HMAC-SHA-256.
    static let signatureLength = 32
    /// The maximum time for which a ledger remembers a text, in seconds. The tokens of apps live for minutes.
    static let longestMemory: Double = 86_400

    let text: [UInt8]
    let signature: [UInt8]

    init(_ input: ApproovTextInput) throws(DecodeError) {
        text = Array(input.text.utf8)
        guard !text.isEmpty else { throw DecodeError(.missing, at: 0, field: "text", "there is no text") }
        guard text.count <= InputLimits.signedText else {
            throw DecodeError(
                .tooLarge, at: InputLimits.signedText, field: "text",
                "\(text.count) bytes, at most \(InputLimits.signedText) are allowed")
        }
        do {
            signature = try Base64.decode(input.signature, .standard)
        } catch {
            throw error.within("signature")
        }
        guard signature.count == Self.signatureLength else {
            throw DecodeError(
                .unexpectedLength, at: 0, field: "signature",
                "\(signature.count) bytes, expected \(Self.signatureLength)")
        }
    }

    /// Demands the token in the text, byte for byte.
    /// - Parameter remembering: Whether a ledger must remember the text until the token expires.
    func require(
        _ token: ArraySlice<UInt8>, expiringAt expiry: Double?, remembering: Bool, at now: Date
    ) throws(CheckFailure) {
        guard text.contains(token) else {
            throw CheckFailure(
                .tokenNotInText,
                "the text does not contain the token that came with it, so that its signature fits any other token too")
        }
        if remembering, let expiry, expiry - now.timeIntervalSince1970 > Self.longestMemory {
            throw CheckFailure(
                .textTokenLivesTooLong,
                "the token lives for more than one day, and the ledger remembers no text for longer; send a token of an "
                    + "app, or set textSigning.replay to caller")
        }
    }

    /// Compares the signature with that of each key.
    /// - Returns: The name of the key.
    func verify(_ key: MessageKey) throws(CheckFailure) -> String? {
        let answer = key.verifies(signature, over: text)
        guard answer.isValid else {
            throw CheckFailure(
                .textSignatureInvalid,
                "the signature is not that of the token's key over this text; apps that fail attestation get a random key"
            )
        }
        return answer.name
    }
}

extension CheckCode {
    fileprivate static let tokenNotInText = CheckCode(
        "token-not-in-text",
        "The text does not contain the token that came with it: the app must put the token into the text that it signs."
    )
    fileprivate static let textTokenLivesTooLong = CheckCode(
        "token-lives-too-long",
        "The token lives for more than one day, and the ledger remembers no text for longer: no token of an app does.",
        remedy: .nothing)
    fileprivate static let textSignatureInvalid = CheckCode(
        "signature-invalid",
        "The token's key did not sign this text: a change on the way, or an app that failed attestation.")
}

extension CheckID {
    /// The text is used only once.
    public static let approovTextReplay = CheckID("approov.text.replay")
}

extension ApproovCheck {
    static let textReplayEntry = CheckDefinition(
        .approovTextReplay, .ledger,
        proves: "The signed text is accepted for the first time while its token lives.",
        stops: "Replay of a recorded text with its token.",
        lookAt: "Whether the text was sent twice; whether each text has something of its own, such as a number.",
        source: "Approov SDK, getMessageSignature",
        remedy: .retry, codes: CheckCode.ofDigest)
}

extension LedgerEffect {
    /// Remembers a text for an app until the token in it expires, in seconds since 1970. The ledger remembers the text, not its HMAC: a
    /// signature with the second key of the account then counts as the same text.
    static func rememberText(_ text: [UInt8], expiry: Double, app: String, at now: Date) -> LedgerEffect {
        let expiresAt = Date(timeIntervalSince1970: expiry)
        return LedgerEffect(
            .approovTextReplay,
            .rememberDigest(
                UsedDigest(
                    digest: Digest.sha256(Digest.sha256(Array(app.utf8)) + Digest.sha256(text)), app: app,
                    kind: EvidenceKind.approovText,
                    // The expiry takes the place of the time of creation: tokens may lack `iat`, and have different
                    // lifetimes. Ledgers purge texts in the order of their expiry. So a text that expires later than a
                    // purged one was not purged.
                    madeAt: expiresAt, usedAt: now,
                    // One second longer: a ledger may store times less exactly.
                    until: expiresAt + 1)))
    }
}
