package import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
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
    /// Remembers a message until it is too old to be accepted. `created` is in seconds since 1970.
    ///
    /// The ledger remembers the signed bytes, not the signature: anyone can convert an ECDSA signature into its second
    /// valid form. The signed bytes contain the token, which names the key, so that two apps never sign the same bytes.
    static func rememberMessage(
        _ base: [UInt8], created: Int64, _ window: FreshnessWindow, app: String, at now: Date
    ) -> LedgerEffect {
        // One second more: the window's end is included, and a ledger may store times less exactly. Ignore a shorter
        // `expires`: the clocks of servers that share a ledger differ.
        let end = Double(created) + window.past + 1
        return LedgerEffect(
            ApproovCheck.replay,
            .rememberDigest(
                UsedDigest(
                    digest: Digest.sha256(base), app: app, kind: EvidenceKind.approovMessage,
                    madeAt: Date(timeIntervalSince1970: Double(created)), usedAt: now,
                    until: Date(timeIntervalSince1970: end))))
    }
}
