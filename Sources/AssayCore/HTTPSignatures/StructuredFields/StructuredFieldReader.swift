package import AssayPrimitives

/// Reads structured field values (RFC 9651 section 4.2), which include those of RFC 8941. The caller joins several
/// lines of a field with `, `. Errors have an index of the value as their offset. Stricter than section 4.2.7: base64
/// must be canonical. The package swift-http-structured-headers accepts duplicate keys, and reports no offset.
package enum StructuredFieldReader {
    /// The treatment of duplicate keys in a dictionary or among parameters.
    package enum Duplicates: Sendable {
        /// Throws an error.
        case refuse
        /// Keeps the last value at the position of the first (sections 4.2.2 and 4.2.3.2).
        case lastWins
    }

    /// The maximum counts: the minimums that section 3 requires every reader to support.
    package enum Limits {
        /// Members of a list or a dictionary (sections 3.1 and 3.2).
        package static let members = 1024
        /// Items of an inner list (section 3.1.1).
        static let innerItems = 256
        /// Parameters of one item or inner list (section 3.1.2).
        static let parameters = 256
    }

    /// Reads an item of at most `limit` bytes. An empty value is an error.
    package static func readItem(
        _ value: ArraySlice<UInt8>, duplicates: Duplicates = .refuse, limit: Int = InputLimits.structuredField
    ) throws(DecodeError) -> StructuredItem {
        var scanner = try scanner(of: value, duplicates, limit)
        return try scanner.wholeItem(value.span)
    }

    /// Reads a list of at most `limit` bytes. An empty value is an empty list.
    package static func readList(
        _ value: ArraySlice<UInt8>, duplicates: Duplicates = .refuse, limit: Int = InputLimits.structuredField
    ) throws(DecodeError) -> [StructuredMember] {
        var scanner = try scanner(of: value, duplicates, limit)
        return try scanner.wholeList(value.span)
    }

    /// Reads a dictionary of at most `limit` bytes. An empty value is an empty dictionary.
    package static func readDictionary(
        _ value: ArraySlice<UInt8>, duplicates: Duplicates = .refuse, limit: Int = InputLimits.structuredField
    ) throws(DecodeError) -> StructuredDictionary {
        var scanner = try scanner(of: value, duplicates, limit)
        return try scanner.wholeDictionary(value.span)
    }

    private static func scanner(
        of value: ArraySlice<UInt8>, _ duplicates: Duplicates, _ limit: Int
    ) throws(DecodeError) -> StructuredFieldScanner {
        guard value.count <= limit else {
            throw DecodeError(
                .tooLarge, at: value.startIndex + limit, "\(value.count) bytes, at most \(limit) are allowed")
        }
        return StructuredFieldScanner(value, duplicates)
    }
}
