public import AssayCore
import FoundationEssentials

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
    /// Remembers a text for an app until the token in it expires. `expiry` is in seconds since 1970.
    ///
    /// The signature is an HMAC: it has one value for each text and key. The ledger remembers the text, not the
    /// signature: a text with a signature of the account's second key then counts as the same text.
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
