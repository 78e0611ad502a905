import AssayCore
import AssayPrimitives
import FoundationEssentials

extension LedgerEffect {
    /// The use of a message, which is remembered until it would be refused as too old.
    ///
    /// What was signed is remembered and not the signature, of which ECDSA has two forms that anybody can turn into each
    /// other. It names the token, which names the key, so that what two apps sign is never the same.
    ///
    /// - Parameters:
    ///   - base: the signature base.
    ///   - created: when the signature was made, in seconds since 1970.
    static func rememberMessage(
        _ base: [UInt8], created: Int64, _ window: MessageSigning.Freshness, app: String, at now: Date
    ) -> LedgerEffect {
        // The window's end is included, and a ledger may keep times less exactly than they are compared: one second more.
        // A shorter life, which `expires` may demand, is not counted on: servers that share a ledger differ in their clocks.
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
