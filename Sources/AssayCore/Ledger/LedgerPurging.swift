package import FoundationEssentials

/// Whether a ledger deletes challenges and digests that ended long ago.
package enum LedgerPurging: Sendable {
    /// With each write, up to ``LedgerRules/purgeHorizon(at:clock:)``. The closure is the machine's clock: a write at a
    /// future time must not delete entries that are still needed.
    case byClock(@Sendable () -> Date)
    /// Never: for records that may be judged at any time, in any order.
    case never

    /// Entries that ended at or before this time may be deleted; nil if none may. `now` is the earliest write time.
    package func horizon(at now: Date) -> Date? {
        switch self {
        case .byClock(let clock): LedgerRules.purgeHorizon(at: now, clock: clock())
        case .never: nil
        }
    }
}

/// App and kind of a digest: the policy sets the window for each pair.
struct DigestOrigin: Hashable {
    let app: [UInt8]
    let kind: EvidenceKind

    init(_ use: UsedDigest) {
        app = Array(use.app.utf8)
        kind = use.kind
    }
}
