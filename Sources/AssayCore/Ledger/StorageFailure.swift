import Synchronization

/// The last failure of a ledger's storage. A proof of writability reports it for ten seconds: a small write may still succeed on a disk
/// that is too full for others.
package final class StorageFailure: Sendable {
    private static let memory = Duration.seconds(10)

    private let last = Mutex<(outage: LedgerOutage, at: ContinuousClock.Instant)?>(nil)

    package init() {}

    /// Notes an outage, if the storage causes it.
    package func note(_ outage: LedgerOutage) {
        guard [.full, .inputOutput].contains(outage.code) else { return }
        last.withLock { $0 = (outage, .now) }
    }

    /// Throws the failure of the last ten seconds.
    package func require() throws(LedgerOutage) {
        let outage = last.withLock { last in
            last.flatMap { ContinuousClock.now - $0.at < Self.memory ? $0.outage : nil }
        }
        if let outage { throw outage }
    }
}
