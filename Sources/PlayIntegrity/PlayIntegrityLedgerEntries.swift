import AssayCore
import AssayPrimitives
import FoundationEssentials

// What Play Integrity keeps in the ledger.

extension LedgerEffect {
    /// The use of one of the ledger's challenges as the nonce of a classic token.
    static func consumeNonce(_ bytes: [UInt8], _ expectations: PlayIntegrityExpectations) -> LedgerEffect {
        LedgerEffect(
            PlayIntegrityCheck.challenge,
            .consumeChallenge(
                value: LedgerChallenge.value(of: bytes), app: expectations.app,
                purpose: ChallengePurpose(PlayIntegrityCheck.classicKind)))
    }

    /// The use of a standard token, which is remembered until it would be refused as too old.
    ///
    /// - Parameter milliseconds: when the token was made, since 1970.
    static func rememberStandard(
        _ digest: [UInt8], madeAt milliseconds: Int64, _ expectations: PlayIntegrityExpectations, at now: Date
    ) -> LedgerEffect {
        // The window's end is included, and a ledger may keep times less exactly than they are compared: one second more.
        let (end, isPastAllTime) = milliseconds.addingReportingOverflow(
            expectations.configuration.freshness.pastMilliseconds + 1000)
        let until = isPastAllTime ? Date.distantFuture : Date(timeIntervalSince1970: Double(end) / 1000)
        return LedgerEffect(
            PlayIntegrityCheck.challenge,
            .rememberDigest(
                UsedDigest(
                    digest: digest, app: expectations.app, kind: PlayIntegrityCheck.standardKind,
                    madeAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000), usedAt: now, until: until)))
    }
}
