import AssayCore

/// The row of one writing connection. It stores the number of the last batch that was committed.
///
/// Each batch updates the row in its own transaction, if the row has the epoch of the connection. After a lost answer the writer raises
/// the epoch on a new connection and reads the number. The update waits for the end of the lost transaction. If that begins later, it
/// finds another epoch and stores nothing.
struct WriterRow {
    /// How a batch ended whose answer was lost.
    enum Ending {
        case applied
        case notApplied
        /// The row did not exist: it was purged, or this server is a standby that was promoted without it.
        case unknown
    }

    private let id: [UInt8]
    private let schema: String
    private let watch: LedgerWatch
    private let isDurabilityWaived: Bool
    private var epoch: Int64 = 0
    private(set) var batch: Int64 = 0
    /// The last batch that was acknowledged.
    private var acknowledged = Int64.min
    /// Whether the present connection has raised the epoch.
    private(set) var isRegistered = false

    init(_ target: ConnectionTarget) {
        schema = "\"\(target.schema)\""
        watch = target.watch
        isDurabilityWaived = target.isDurabilityWaived
        var generator = SystemRandomNumberGenerator()
        id = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The connection was lost or closed.
    mutating func leave() { isRegistered = false }

    /// The statement that claims the next batch in its transaction. It returns the time that ``acknowledge(seenAt:)`` takes, and no row
    /// if the writer is fenced.
    mutating func claim(_ statements: LedgerStatements) -> Step {
        batch += 1
        return Step(statements.claimBatch, id, epoch, batch, acknowledged)
    }

    /// The batch that was claimed last is committed, and its writes are about to be answered. Not kept with
    /// `durability=waived`.
    mutating func acknowledge(seenAt: Int64) {
        guard !isDurabilityWaived else { return }
        acknowledged = batch
        watch.acknowledge(batch, of: id, seenAt: seenAt)
    }

    /// Raises the epoch on a new connection. Returns how the last claimed batch ended.
    ///
    /// - Throws: also `OutageCode.wrongLedger`, for a server that lacks batches that were acknowledged.
    mutating func register(_ holder: ConnectionHolder) throws -> Ending {
        let ending = try raise(holder)
        isRegistered = true
        return ending
    }

    private mutating func raise(_ holder: ConnectionHolder) throws -> Ending {
        if let last = try raiseIfStored(holder) { return ending(last) }
        // The row was purged, or no batch was acknowledged.
        acknowledged = .min
        watch.forget(id)
        let insert = Statement(
            "INSERT INTO \(schema).writer (id, epoch, batch, seen_at) VALUES ($1, 1, $2, \(LedgerStatements.serverTime))"
        )
        _ = try holder.transact([Step(insert, id, -1 - batch)])
        guard let last = try raiseIfStored(holder) else {
            throw StoredValueError(table: "writer", column: "no row that was just written")
        }
        return ending(last)
    }

    /// A new row holds -1 minus the number of the last batch that was claimed before. How that batch ended is unknown. The number also
    /// shows this when the row was inserted on one connection and read on the next. A later batch overwrites the number, or was not
    /// applied.
    private func ending(_ stored: Int64) -> Ending {
        if stored == -1 - batch, batch > 0 { return .unknown }
        return stored == batch ? .applied : .notApplied
    }

    /// Raises the epoch. Returns the last stored batch; nil if there is no row.
    private mutating func raiseIfStored(_ holder: ConnectionHolder) throws -> Int64? {
        let update = Statement(
            """
            UPDATE \(schema).writer SET epoch = epoch + 1, seen_at = \(LedgerStatements.serverTime) WHERE id = $1
            RETURNING epoch, batch
            """)
        // The ledger's mark is read after the update: a migration stores the mark before it raises the epochs.
        let rows = try holder.transact([Step(update, id), watch.step(schema: schema)])
        try watch.require(rows[1], at: holder.target.place)
        guard let stored = rows[0].integer(0, 0), let last = rows[0].integer(0, 1) else { return nil }
        epoch = stored
        return last
    }
}
