import AssayPrimitives
package import FoundationEssentials

extension LedgerEffect {
    /// Remembers a signed request until it is too old to be accepted. `created` is in seconds since 1970.
    ///
    /// The ledger remembers the signed bytes, not the signature: anyone can convert an ECDSA signature into its second
    /// valid form. The signed bytes name the key: two apps never sign the same bytes.
    package static func rememberRequest(
        _ base: [UInt8], created: Int64, _ window: FreshnessWindow, _ check: CheckID, _ kind: EvidenceKind, app: String,
        at now: Date
    ) -> LedgerEffect {
        // One second longer: the window includes its end, and a ledger may store times less exactly. Ignores a shorter
        // `expires`, because the clocks of servers that share a ledger differ.
        let end = Double(created) + window.past + 1
        return LedgerEffect(
            check,
            .rememberDigest(
                UsedDigest(
                    digest: Digest.sha256(base), app: app, kind: kind,
                    madeAt: Date(timeIntervalSince1970: Double(created)), usedAt: now,
                    until: Date(timeIntervalSince1970: end))))
    }
}
