import AssayCore
import FoundationEssentials

// The ledger entries of Play Integrity.

extension LedgerEffect {
    /// Consumes the ledger challenge of a classic token: its nonce, or the challenge that the nonce binds.
    static func consumeChallenge(
        of input: ClassicIntegrityInput, _ expectations: PlayIntegrityExpectations
    ) -> LedgerEffect {
        consumeChallenge(input.challenge, .playIntegrityChallenge, .playIntegrityClassic, app: expectations.app)
    }

    /// Remembers a standard token, made `milliseconds` after 1970, until it is too old to be accepted.
    static func rememberStandard(
        _ digest: [UInt8], madeAt milliseconds: Int64, _ expectations: PlayIntegrityExpectations, at now: Date
    ) -> LedgerEffect {
        // One second longer than the window: the window includes its end, and a ledger may store times less exactly.
        let (end, isPastAllTime) = milliseconds.addingReportingOverflow(
            expectations.configuration.freshness.pastMilliseconds + 1000)
        let until = isPastAllTime ? Date.distantFuture : Date(timeIntervalSince1970: Double(end) / 1000)
        return LedgerEffect(
            .playIntegrityChallenge,
            .rememberDigest(
                UsedDigest(
                    digest: digest, app: expectations.app, kind: EvidenceKind.playIntegrityStandard,
                    madeAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000), usedAt: now, until: until)))
    }
}
