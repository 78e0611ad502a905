import AssayCore
import CPostgreSQL
import FoundationEssentials

/// A statement of SQL with parameters `$1`, `$2` and so on.
struct Statement: Sendable {
    let text: String
    /// The name under which a connection prepares it; empty for a statement that is parsed each time.
    let name: String

    /// A statement that is parsed each time.
    init(_ text: String) { self.init(text, name: "") }

    /// A statement that each connection prepares once.
    init(_ text: String, name: String) {
        self.text = text
        self.name = name
    }
}

/// One execution of a statement.
struct Step {
    let statement: Statement
    let parameters: Parameters

    init(_ statement: Statement, _ parameters: Parameters) {
        self.statement = statement
        self.parameters = parameters
    }

    init(_ statement: Statement, _ values: any ParameterValue...) { self.init(statement, Parameters(values)) }

    /// A statement that is parsed each time.
    init(_ text: String, _ values: any ParameterValue...) { self.init(Statement(text), Parameters(values)) }
}

/// The values of a statement's parameters, in the binary format of the server.
///
/// <https://www.postgresql.org/docs/15/protocol-overview.html#PROTOCOL-FORMAT-CODES>: integers have the most significant
/// byte first.
struct Parameters {
    private(set) var bytes: [UInt8] = []
    /// Where each value is in `bytes`; nil for NULL.
    private(set) var spans: [Range<Int>?] = []
    /// The object identifiers of the types, which are fixed for built-in types.
    private(set) var types: [UInt32] = []

    enum Kind: UInt32 {
        case bytes = 17
        case int8 = 20
        case int4 = 23
        case bytesArray = 1001
        case int4Array = 1007
        case int8Array = 1016
    }

    init(_ values: [any ParameterValue] = []) {
        for value in values { add(value) }
    }

    mutating func add<Value: ParameterValue>(_ value: Value) {
        types.append(Value.kind.rawValue)
        guard let value = value.encoded else { return spans.append(nil) }
        let start = bytes.count
        bytes += value
        spans.append(start..<bytes.count)
    }

    /// Adds an array of `bytea`, one of each item; NULL for nil.
    mutating func add<Items: Collection>(_ items: Items, bytes value: (Items.Element) -> [UInt8]?) {
        addArray(.bytesArray, .bytes, items) { $0.append(value($1)) }
    }

    /// Adds an array of texts as `bytea`, one of each item; NULL for nil.
    mutating func add<Items: Collection>(_ items: Items, text value: (Items.Element) -> String?) {
        addArray(.bytesArray, .bytes, items) { $0.append(value($1)?.utf8) }
    }

    /// Adds an array of `int8`, one of each item; NULL for nil.
    mutating func add<Items: Collection>(_ items: Items, integer value: (Items.Element) -> Int64?) {
        addArray(.int8Array, .int8, items) { $0.append(integer: value($1)) }
    }

    /// Adds an array of keys.
    mutating func add(_ keys: RowSet) {
        addArray(.bytesArray, .bytes, count: keys.count) { $0.write(keys.elements) }
    }

    /// Adds an array of some keys.
    mutating func add(_ keys: RowSet, at places: [Int]) {
        guard places.count < keys.count else { return add(keys) }
        addArray(.bytesArray, .bytes, count: places.count) { elements in
            for place in places { elements.write(keys.element(at: place)) }
        }
    }

    mutating func add(_ values: [Int32]) { addArray(.int4Array, .int4, values) { $0.append(integer: $1) } }

    /// Dimensions, whether there are NULLs, the type, and for the one dimension its length and its lower bound; then each
    /// element after its length, which is -1 for NULL.
    private mutating func addArray<Items: Collection>(
        _ kind: Kind, _ element: Kind, _ items: Items, _ append: (inout ArrayElements, Items.Element) -> Void
    ) {
        addArray(kind, element, count: items.count) { elements in
            for item in items { append(&elements, item) }
        }
    }

    private mutating func addArray(
        _ kind: Kind, _ element: Kind, count: Int, _ append: (inout ArrayElements) -> Void
    ) {
        types.append(kind.rawValue)
        let start = bytes.count
        var elements = ArrayElements(after: bytes, count: 20 + 16 * count)
        bytes = []
        elements.write(Int32(count == 0 ? 0 : 1))
        elements.write(Int32(0))
        elements.write(element.rawValue)
        if count > 0 {
            elements.write(Int32(clamping: count))
            elements.write(Int32(1))
        }
        append(&elements)
        let hasNull = elements.hasNull
        bytes = elements.finish()
        if hasNull { bytes[start + 7] = 1 }
        spans.append(start..<bytes.count)
    }

    /// The elements of an array, each after its length.
    private struct ArrayElements {
        /// What is written, and zeros: to append bytes one after the other takes several times as long.
        private var bytes: [UInt8]
        private var end: Int
        private(set) var hasNull = false

        init(after bytes: [UInt8], count: Int) {
            (self.bytes, end) = (bytes, bytes.count)
            makeRoom(count)
        }

        consuming func finish() -> [UInt8] {
            bytes.removeLast(bytes.count - end)
            return bytes
        }

        private mutating func makeRoom(_ count: Int) {
            guard bytes.count - end < count else { return }
            bytes.append(contentsOf: repeatElement(0, count: max(count, bytes.count)))
        }

        mutating func append(_ value: (some Collection<UInt8>)?) {
            guard let value else { return appendNull() }
            write(Int32(clamping: value.count))
            if !value.isEmpty { write(value) }
        }

        mutating func append<Integer: FixedWidthInteger>(integer value: Integer?) {
            guard let value else { return appendNull() }
            write(Int32(MemoryLayout<Integer>.size))
            write(value)
        }

        private mutating func appendNull() {
            hasNull = true
            write(Int32(-1))
        }

        mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
            makeRoom(MemoryLayout<Integer>.size)
            unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe bytes.storeBytes(of: value.bigEndian, toByteOffset: end, as: Integer.self)
            }
            end += MemoryLayout<Integer>.size
        }

        mutating func write(_ value: some Collection<UInt8>) {
            let count = value.count
            makeRoom(count)
            unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[end..<end + count]).copyBytes(from: value)
            }
            end += count
        }
    }
}

/// A value of a parameter. Nil is NULL. Text is passed as `bytea`: the type `text` refuses U+0000. Times are microseconds.
protocol ParameterValue {
    static var kind: Parameters.Kind { get }
    var encoded: [UInt8]? { get }
}

extension [UInt8]: ParameterValue {
    static var kind: Parameters.Kind { .bytes }
    var encoded: [UInt8]? { self }
}

extension String: ParameterValue {
    static var kind: Parameters.Kind { .bytes }
    var encoded: [UInt8]? { Array(utf8) }
}

extension Int64: ParameterValue {
    static var kind: Parameters.Kind { .int8 }
    var encoded: [UInt8]? { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }
}

extension Int32: ParameterValue {
    static var kind: Parameters.Kind { .int4 }
    var encoded: [UInt8]? { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }
}

extension Date: ParameterValue {
    static var kind: Parameters.Kind { .int8 }
    var encoded: [UInt8]? { microseconds.encoded }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
    static var kind: Parameters.Kind { Wrapped.kind }
    var encoded: [UInt8]? { flatMap(\.encoded) }
}

/// The result of a statement. It owns the memory of libpq.
@safe final class StatementRows {
    private let handle: OpaquePointer
    /// How many rows there are.
    let count: Int
    private let columns: Int

    init(takingOwnershipOf handle: OpaquePointer) {
        unsafe self.handle = handle
        (count, columns) = (Int(unsafe PQntuples(handle)), Int(unsafe PQnfields(handle)))
    }

    deinit { unsafe PQclear(handle) }

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

    /// Lends the bytes of a cell in binary form to `body`; nil for NULL.
    func withBytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
        guard row >= 0, row < count, column >= 0, column < columns,
            (unsafe PQgetisnull(handle, Int32(row), Int32(column))) == 0,
            let start = unsafe PQgetvalue(handle, Int32(row), Int32(column))
        else { return nil }
        let length = Int(unsafe PQgetlength(handle, Int32(row), Int32(column)))
        return unsafe body(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// The bytes of a cell in binary form; nil for NULL.
    func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        unsafe withBytes(row, column) { unsafe $0.isEmpty ? [] : Array($0) }
    }

    /// The integer of a cell, whatever its width, or a boolean as 0 or 1; nil for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        let value: Int64?? = unsafe withBytes(row, column) { bytes in
            switch bytes.count {
            case 1: Int64(unsafe bytes[0])
            case 2: Int64(Int16(bigEndian: unsafe bytes.loadUnaligned(as: Int16.self)))
            case 4: Int64(Int32(bigEndian: unsafe bytes.loadUnaligned(as: Int32.self)))
            case 8: Int64(bigEndian: unsafe bytes.loadUnaligned(as: Int64.self))
            default: nil
            }
        }
        return value ?? nil
    }

    func name(_ column: Int) -> String {
        guard let text = unsafe PQfname(handle, Int32(column)) else { return "" }
        return unsafe String(cString: text)
    }
}
