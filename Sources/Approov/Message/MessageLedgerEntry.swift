import AssayCore
import AssayPrimitives
import FoundationEssentials

extension LedgerEffect {
    /// Remembers a message until it is too old to be accepted.
    ///
    /// The ledger remembers the signature base, not the signature: an attacker can convert an ECDSA signature to a second valid
    /// form. The base contains the token, which names the key, so bases of two apps differ.
    ///
    /// - Parameters:
    ///   - base: the signature base.
    ///   - created: when the signature was made, in seconds since 1970.
    static func rememberMessage(
        _ base: [UInt8], created: Int64, _ window: MessageSigning.Freshness, app: String, at now: Date
    ) -> LedgerEffect {
        // One second longer than the window: its end is included, and a ledger may store times less exactly. Ignore `expires`:
        // the clocks of servers that share a ledger differ.
        let end = Double(created) + window.past + 1
        return LedgerEffect(
            ApproovCheck.replay,
            .rememberDigest(
                UsedDigest(
                    digest: Digest.sha256(base), app: app, kind: ApproovCheck.messageKind,
                    madeAt: Date(timeIntervalSince1970: Double(created)), usedAt: now,
                    until: Date(timeIntervalSince1970: end))))
    }
}
