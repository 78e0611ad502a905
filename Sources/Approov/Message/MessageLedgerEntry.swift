package import AssayCore
import AssayPrimitives
import FoundationEssentials

extension ApproovCheck {
    /// The message is used once.
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
        codes: CheckCode.ofDigest)
}

extension LedgerEffect {
    /// The use of a message, which the ledger remembers until the message would be refused as too old.
    ///
    /// The ledger remembers the signed bytes and not the signature: an ECDSA signature has two forms, and anybody can turn
    /// one into the other. The signed bytes name the token, which names the key, so that two apps never sign the same bytes.
    ///
    /// - Parameters:
    ///   - base: the signature base.
    ///   - created: when the signature was made, in seconds since 1970.
    static func rememberMessage(
        _ base: [UInt8], created: Int64, _ window: MessageSigning.Freshness, app: String, at now: Date
    ) -> LedgerEffect {
        // The window's end is included, and a ledger may keep times less exactly than they are compared: one second more.
        // `expires` may demand a shorter life, which is ignored: the clocks of servers that share a ledger differ.
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
