import AssayCore
import AssayKeyStore

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
        /// The row did not exist: it was deleted, or this server is a standby that was promoted without it.
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
        // The mark is read after the update: a migration stores the mark before it raises the epochs.
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
