/// A statement of SQL with parameters `$1`, `$2` and so on.
struct Statement: Sendable {
    /// The text.
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

    init(_ statement: Statement, _ parameters: Parameters = Parameters()) {
        self.statement = statement
        self.parameters = parameters
    }
}

/// The values of a statement's parameters, in the binary format of the server.
///
/// <https://www.postgresql.org/docs/15/protocol-overview.html#PROTOCOL-FORMAT-CODES>: integers have the most significant
/// byte first. Text is passed as `bytea`: the type `text` refuses U+0000.
struct Parameters {
    private(set) var bytes: [UInt8] = []
    /// Where each value is in `bytes`; nil for NULL.
    private(set) var spans: [Range<Int>?] = []
    /// The object identifiers of the types, which are fixed for built-in types.
    private(set) var types: [UInt32] = []

    private enum Kind: UInt32 {
        case bytes = 17
        case int8 = 20
        case int4 = 23
        case bytesArray = 1001
        case int4Array = 1007
        case int8Array = 1016
    }

    /// Adds a `bytea`; NULL for nil.
    mutating func add(_ value: [UInt8]?) { add(.bytes, value) }

    /// Adds a text as `bytea`; NULL for nil.
    mutating func add(text: String?) { add(.bytes, text.map { Array($0.utf8) }) }

    /// Adds an `int8`; NULL for nil.
    mutating func add(_ value: Int64?) { add(.int8, value.map(Self.encoded)) }

    /// Adds an `int4`.
    mutating func add(_ value: Int32) { add(.int4, Self.encode(value)) }

    /// Adds an array of `bytea`.
    mutating func add(_ values: [[UInt8]?]) { addArray(.bytesArray, .bytes, values) }

    /// Adds an array of texts as `bytea`.
    mutating func add(texts: [String?]) { addArray(.bytesArray, .bytes, texts.map { $0.map { Array($0.utf8) } }) }

    /// Adds an array of `int8`.
    mutating func add(_ values: [Int64?]) { addArray(.int8Array, .int8, values.map { $0.map(Self.encoded) }) }

    /// Adds an array of `int4`.
    mutating func add(_ values: [Int32]) { addArray(.int4Array, .int4, values.map(Self.encode)) }

    private mutating func add(_ kind: Kind, _ value: [UInt8]?) {
        types.append(kind.rawValue)
        guard let value else { return spans.append(nil) }
        spans.append(bytes.count..<bytes.count + value.count)
        bytes += value
    }

    /// Dimensions, whether there are NULLs, the type, and for the one dimension its length and its lower bound; then each
    /// element after its length, which is -1 for NULL.
    private mutating func addArray(_ kind: Kind, _ element: Kind, _ values: [[UInt8]?]) {
        types.append(kind.rawValue)
        let start = bytes.count
        let hasNull = values.contains { $0 == nil }
        bytes += Self.encode(values.isEmpty ? 0 : 1) + Self.encode(hasNull ? 1 : 0)
        bytes += Self.encode(Int32(bitPattern: element.rawValue))
        if !values.isEmpty { bytes += Self.encode(Int32(clamping: values.count)) + Self.encode(1) }
        for value in values {
            bytes += Self.encode(value.map { Int32(clamping: $0.count) } ?? -1)
            if let value { bytes += value }
        }
        spans.append(start..<bytes.count)
    }

    private static func encoded(_ value: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }

    private static func encode(_ value: Int32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
