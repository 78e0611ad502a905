package import AssayCore

/// Reads JSON, RFC 8259, strictly: one document, in UTF-8, with unique keys.
///
/// Ours, because nothing at hand is strict. Foundation keeps the last of duplicate keys, and takes a byte order mark and
/// trailing commas; with either, two readers of a signed document may see different things. The C parsers cannot be
/// told otherwise, or are slower. One pass over the bytes; nesting is bounded by ``InputLimits/nestingDepth``, and with
/// it the recursion.
///
/// The pass goes over a span, whose subscript checks its bounds but neither counts references nor translates indices, as
/// that of a slice does for every byte. Reading the payload of a token takes a fifteenth of the time that verifying its
/// signature takes; through slices it took a fifth.
package enum JSONReader {
    /// How many values a document may have. A value takes many times the memory of the two bytes that it may be written
    /// with; the largest corpus that ``InputLimits/record`` lets in has far fewer.
    package static let values = 1 << 20

    /// Reads the one value that some bytes consist of, white space around it allowed.
    ///
    /// Numbers are checked against the grammar and kept as written. Keys are the same when their bytes are, once
    /// unescaped, as RFC 8259 section 8.3 has it; that Unicode holds two of them to be the same text is for nobody here.
    /// - Parameters:
    ///   - bytes: the document; indices serve as offsets.
    ///   - limit: how many bytes are allowed.
    /// - Throws: ``DecodeError`` at the byte at which it shows.
    package static func read(_ bytes: ArraySlice<UInt8>, limit: Int) throws(DecodeError) -> RecordValue {
        try read(bytes, limit: limit, origin: bytes.startIndex)
    }

    /// Reads the one value that some bytes consist of, such as a line of a larger text.
    ///
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

    /// Reads the one value that some bytes consist of, white space around it allowed.
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
