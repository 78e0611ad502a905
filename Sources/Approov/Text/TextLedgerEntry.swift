package import AssayCore
import AssayPrimitives
import FoundationEssentials

extension ApproovCheck {
    /// The text is used only once.
    package static let textReplay = CheckID("approov.text.replay")

    static let textReplayEntry = CheckDefinition(
        textReplay, .ledger,
        proves: "The signed text is accepted for the first time while its token lives.",
        stops: "Replay of a recorded text with its token.",
        lookAt: "Whether the text was sent twice; whether each text has something of its own, such as a number.",
        source: "Approov SDK, getMessageSignature",
        remedy: .retry, codes: CheckCode.ofDigest)
}

extension LedgerEffect {
    /// Remembers a text for an app until the token in it expires. `expiry` is in seconds since 1970.
    ///
    /// The signature is an HMAC, which has one value for each text and key. The ledger remembers the text, not the
    /// signature, so that a text under a second key of the account counts as the same.
    static func rememberText(_ text: [UInt8], expiry: Double, app: String, at now: Date) -> LedgerEffect {
        let expiresAt = Date(timeIntervalSince1970: expiry)
        return LedgerEffect(
            ApproovCheck.textReplay,
            .rememberDigest(
                UsedDigest(
                    digest: Digest.sha256(Digest.sha256(Array(app.utf8)) + Digest.sha256(text)), app: app,
                    kind: EvidenceKind.approovText,
                    // Tokens need not say when they were made, and live for different times. Their expiry is in the
                    // order in which ledgers purge texts: a text that expires later than a purged one was not purged.
                    madeAt: expiresAt, usedAt: now,
                    // One second more: a ledger may store times less exactly.
                    until: expiresAt + 1)))
    }
}
