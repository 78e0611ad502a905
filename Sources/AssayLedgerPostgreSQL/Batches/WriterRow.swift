import AssayCore
import AssayKeyStore

/// The row of one writing connection, which says up to which batch its writes are stored.
///
/// Each batch updates it in its own transaction, under the writer's epoch. After a lost answer the writer asks it on a new
/// connection, in an update that raises the epoch: that waits for the end of the lost transaction, finds out whether it was
/// committed, and voids it if it comes later.
struct WriterRow {
    /// How a batch ended whose answer was lost.
    enum Ending {
        case applied
        case notApplied
        /// The row is gone: the database is another one, such as a standby that had not received it.
        case unknown
    }

    private let id: [UInt8]
    private let schema: String
    private var epoch: Int64 = 0
    private(set) var batch: Int64 = 0
    /// Whether the present connection has raised the epoch.
    private(set) var isRegistered = false

    init(schema: String) {
        self.schema = "\"\(schema)\""
        var generator = SystemRandomNumberGenerator()
        id = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The connection was lost or closed.
    mutating func leave() { isRegistered = false }

    /// The statement that claims the next batch in its transaction. It returns no row if the writer is fenced.
    mutating func claim(_ statements: LedgerStatements) -> Step {
        batch += 1
        var parameters = Parameters()
        parameters.add(id)
        parameters.add(epoch)
        parameters.add(batch)
        return Step(statements.claimBatch, parameters)
    }

    /// Raises the epoch on a new connection. Returns how the last claimed batch ended.
    mutating func register(_ holder: ConnectionHolder) throws -> Ending {
        let ending = try raise(holder)
        isRegistered = true
        return ending
    }

    private mutating func raise(_ holder: ConnectionHolder) throws -> Ending {
        if let last = try raiseIfStored(holder) { return ending(last) }
        let insert = Statement(
            "INSERT INTO \(schema).writer (id, epoch, batch, seen_at) VALUES ($1, 1, $2, \(LedgerStatements.serverTime))"
        )
        var parameters = parameters
        parameters.add(-1 - batch)
        _ = try holder.transact([Step(insert, parameters)])
        guard let last = try raiseIfStored(holder) else {
            throw StoredValueError(table: "writer", column: "no row that was just written")
        }
        return ending(last)
    }

    /// A new row holds -1 minus the last batch that was claimed before it: how that ended is unknown, also if the row is found only
    /// on the next connection. Later batches are in the row, or not applied.
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
        // Read behind the update: whoever moves the ledger stores this mark before it fences all writers.
        let mark = Statement("SELECT moved_to FROM \(schema).ledger WHERE one = 1")
        let rows = try holder.transact([Step(update, parameters), Step(mark)])
        if let other = rows[1].bytes(0, 0) { throw LedgerMark(other).outage(of: holder.target.place) }
        guard let stored = rows[0].integer(0, 0), let last = rows[0].integer(0, 1) else { return nil }
        epoch = stored
        return last
    }

    private var parameters: Parameters {
        var parameters = Parameters()
        parameters.add(id)
        return parameters
    }
}
