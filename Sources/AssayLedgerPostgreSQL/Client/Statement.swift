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
    mutating func add(text: String?) { add(.bytes, text?.utf8) }

    /// Adds an `int8`; NULL for nil.
    mutating func add(_ value: Int64?) { add(.int8, value.map { Self.encoded($0) }) }

    /// Adds an `int4`.
    mutating func add(_ value: Int32) { add(.int4, Self.encoded(value)) }

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

    /// Adds an array of `int4`.
    mutating func add(_ values: [Int32]) { addArray(.int4Array, .int4, values) { $0.append(integer: $1) } }

    private mutating func add(_ kind: Kind, _ value: (some Collection<UInt8>)?) {
        types.append(kind.rawValue)
        guard let value else { return spans.append(nil) }
        let start = bytes.count
        bytes += value
        spans.append(start..<bytes.count)
    }

    /// Dimensions, whether there are NULLs, the type, and for the one dimension its length and its lower bound; then each
    /// element after its length, which is -1 for NULL.
    private mutating func addArray<Items: Collection>(
        _ kind: Kind, _ element: Kind, _ items: Items, _ append: (inout ArrayElements, Items.Element) -> Void
    ) {
        types.append(kind.rawValue)
        let start = bytes.count
        var elements = ArrayElements(bytes: bytes)
        bytes = []
        elements.bytes.reserveCapacity(start + 20 + 16 * items.count)
        elements.write(Int32(items.isEmpty ? 0 : 1))
        elements.write(Int32(0))
        elements.write(element.rawValue)
        if !items.isEmpty {
            elements.write(Int32(clamping: items.count))
            elements.write(Int32(1))
        }
        for item in items { append(&elements, item) }
        bytes = elements.bytes
        if elements.hasNull { bytes[start + 7] = 1 }
        spans.append(start..<bytes.count)
    }

    /// The elements of an array, each after its length.
    private struct ArrayElements {
        var bytes: [UInt8]
        var hasNull = false

        mutating func append(_ value: (some Collection<UInt8>)?) {
            guard let value else { return appendNull() }
            write(Int32(clamping: value.count))
            bytes += value
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

        mutating func write(_ value: some FixedWidthInteger) {
            unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        }
    }

    private static func encoded(_ value: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe Array($0) }
    }
}
