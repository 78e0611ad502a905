import CPostgreSQL

/// The result of a statement. It owns the memory of libpq.
@safe final class StatementRows {
    private let handle: OpaquePointer

    init(takingOwnershipOf handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe PQclear(handle) }

    /// How many rows there are.
    var count: Int { Int(unsafe PQntuples(handle)) }

    /// The command that was executed, such as `COMMIT`. A COMMIT of a void transaction answers `ROLLBACK`.
    var command: String {
        guard let text = unsafe PQcmdStatus(handle) else { return "" }
        return unsafe String(cString: text)
    }

    /// The status by which libpq names its kind.
    var status: ExecStatusType { unsafe PQresultStatus(handle) }

    /// A field of an error or a notice, such as the SQLSTATE.
    func field(_ code: UInt8) -> String? {
        guard let text = unsafe PQresultErrorField(handle, Int32(code)) else { return nil }
        return unsafe String(cString: text)
    }

    /// The failure that this result reports. After more than an ERROR, such as FATAL, the server ends the connection.
    func failure(_ extent: DatabaseFailure.Extent) -> DatabaseFailure {
        let extent = field(UInt8(ascii: "V")) == "ERROR" ? extent : .connection
        let message = field(UInt8(ascii: "M")) ?? "the connection was lost"
        let line = message.split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
        return DatabaseFailure(extent: extent, state: field(UInt8(ascii: "C")) ?? "08006", message: line)
    }

    private func isInside(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < count && column >= 0 && column < Int(unsafe PQnfields(handle))
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        !isInside(row, column) || (unsafe PQgetisnull(handle, Int32(row), Int32(column))) != 0
    }

    /// The bytes of a cell in binary form; nil for NULL.
    func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        guard !isNull(row, column), let start = unsafe PQgetvalue(handle, Int32(row), Int32(column)) else { return nil }
        let length = Int(unsafe PQgetlength(handle, Int32(row), Int32(column)))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// The integer of a cell, whatever its width, or a boolean as 0 or 1; nil for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        guard !isNull(row, column), let start = unsafe PQgetvalue(handle, Int32(row), Int32(column)) else { return nil }
        let length = Int(unsafe PQgetlength(handle, Int32(row), Int32(column)))
        guard (1...8).contains(length) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        let value = unsafe bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = UInt64(64 - 8 * length)
        return Int64(bitPattern: value << unused) >> Int64(unused)
    }

    /// The name of a column.
    func name(_ column: Int) -> String {
        guard let text = unsafe PQfname(handle, Int32(column)) else { return "" }
        return unsafe String(cString: text)
    }
}
