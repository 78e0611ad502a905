package import AssayCore
package import FoundationEssentials

/// The change of the master key for the receipts of a ledger.
package struct ReceiptResealing: Sendable {
    private static let page = 200

    /// The receipts that were sealed again.
    package private(set) var resealed = 0
    /// The receipts that another process was exchanging or had just exchanged.
    package private(set) var busy = 0
    /// The receipts that none of the master keys opens.
    package private(set) var unusable = 0

    /// Seals again, under the first of several master keys, all receipts that another one has sealed. Leaves their times and outcomes.
    package init(
        in ledger: any LedgerAdministration, under masterKey: MasterKey, at now: Date
    ) async throws(LedgerOutage) {
        var last: [UInt8]?
        while true {
            let tasks = try await ledger.tasks(in: KeptReceipt.queue, after: last, atMost: Self.page)
            guard let end = tasks.last?.key else { return }
            last = end
            for task in tasks {
                let bytes: [UInt8]?
                do throws(KeptReceipt.Unusable) {
                    let kept = try KeptReceipt(task: task)
                    bytes = try kept.resealed(keyID: task.key, under: masterKey)?.encoded()
                } catch {
                    unusable += 1
                    continue
                }
                guard let bytes else { continue }
                let isStored =
                    if task.isLeased(at: now) { false } else {
                        try await ledger.putTask(
                            task.key, in: task.queue, dueAt: task.dueAt, bytes: bytes, replacing: task.revision, at: now
                        )
                    }
                if isStored { resealed += 1 } else { busy += 1 }
            }
        }
    }
}
