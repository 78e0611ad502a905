/// Reads JSON (RFC 8259) strictly: one document in UTF-8 with unique keys. Foundation's reader keeps the last of
/// duplicate keys, and accepts a byte order mark and trailing commas; two readers of a signed document could then see
/// different values. ``InputLimits/nestingDepth`` bounds nesting and recursion.
package enum JSONReader {
    /// The maximum number of values in a document. A value can take two bytes of input and far more memory. The largest
    /// corpus within ``InputLimits/record`` has far fewer values.
    package static let values = 1 << 20

    /// Reads a document of at most `limit` bytes: one value, with optional white space around it. Checks the syntax of
    /// numbers, and keeps them as written. Compares keys by their unescaped bytes (RFC 8259 section 8.3).
    /// - Throws: ``DecodeError`` at an index of `bytes`.
    package static func read(_ bytes: ArraySlice<UInt8>, limit: Int) throws(DecodeError) -> RecordValue {
        try read(bytes, limit: limit, origin: bytes.startIndex)
    }

    /// Reads one value, such as a line of a larger text.
    /// - Parameter origin: the offset of the first byte.
    package static func read(
        _ bytes: ArraySlice<UInt8>, limit: Int, origin: Int
    ) throws(DecodeError) -> RecordValue {
        var none: [WithheldText] = []
        return try read(bytes, limit: limit, origin: origin, withholding: [], into: &none)
    }

    static func read(
        _ bytes: ArraySlice<UInt8>, limit: Int, origin: Int, withholding names: [String],
        into withheld: inout [WithheldText]
    ) throws(DecodeError) -> RecordValue {
        guard bytes.count <= limit else {
            throw DecodeError(.tooLarge, at: origin + limit, "\(bytes.count) bytes, at most \(limit) allowed")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw DecodeError(.malformed, at: origin, "a byte order mark is not allowed in JSON")
        }
        var scanner = JSONScanner(bytes, origin: origin, withholding: names)
        let value = try scanner.document(bytes.span)
        withheld = scanner.withheld
        return value
    }

    /// Reads a document: one value, with optional white space around it.
    package static func read(_ bytes: [UInt8], limit: Int) throws(DecodeError) -> RecordValue {
        try read(bytes[...], limit: limit)
    }

    /// Reads a document that is an object.
    package static func readObject(_ bytes: ArraySlice<UInt8>, limit: Int) throws(DecodeError) -> RecordObject {
        try object(read(bytes, limit: limit))
    }

    static func object(_ value: RecordValue) throws(DecodeError) -> RecordObject {
        guard case .object(let object) = value.content else {
            throw DecodeError(.unexpectedType, at: value.offset, "expected an object, found \(value.kindName)")
        }
        return object
    }

    /// Reads a document that is an object.
    package static func readObject(_ bytes: [UInt8], limit: Int) throws(DecodeError) -> RecordObject {
        try readObject(bytes[...], limit: limit)
    }
}
