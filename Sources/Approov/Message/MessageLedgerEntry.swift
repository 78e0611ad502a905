public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The message is used only once.
    public static let approovMessageReplay = CheckID("approov.message.replay")
}

extension ApproovCheck {
    static let replayEntry = CheckDefinition(
        .approovMessageReplay, .ledger,
        proves: "The signed message is accepted for the first time inside its window.",
        stops: "Replay of a recorded request, also with the other form that an ECDSA signature has.",
        lookAt: """
            Whether the request was sent twice; identical requests within one second count as one, see `replay` in \
            the policy.
            """,
        source: "RFC 9421 section 7.2.2",
        remedy: .retry, codes: CheckCode.ofDigest)
}

extension LedgerEffect {
    /// Remembers a message until it is too old to be accepted. The signed bytes contain the token, which names the key.
    static func rememberMessage(
        _ base: [UInt8], created: Int64, _ window: FreshnessWindow, app: String, at now: Date
    ) -> LedgerEffect {
        rememberRequest(
            base, created: created, window, CheckID.approovMessageReplay, EvidenceKind.approovMessage, app: app, at: now
        )
    }
}
