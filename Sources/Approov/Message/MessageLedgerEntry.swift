package import AssayCore
import FoundationEssentials

extension ApproovCheck {
    /// The message is used only once.
    package static let replay = CheckID("approov.message.replay")

    static let replayEntry = CheckDefinition(
        replay, .ledger,
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
            base, created: created, window, ApproovCheck.replay, EvidenceKind.approovMessage, app: app, at: now)
    }
}
