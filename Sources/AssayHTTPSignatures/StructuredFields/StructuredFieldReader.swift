package import AssayCore

/// Reads structured field values, RFC 9651 section 4.2, of which those of RFC 8941 are a part.
///
/// Ours, because what signatures rest on must have one reading, and errors must say where they are. The package
/// swift-http-structured-headers lets the last of several equal keys win and names no byte.
///
/// Base64 must be canonical: the RFC lets a reader take missing padding and stray bits (section 4.2.7), and then one
/// value has several texts.
///
/// A field that came in several lines is given as one value, the lines joined by `, ` (section 4.2).
package enum StructuredFieldReader {
    /// What becomes of a key that comes twice in a dictionary or among parameters.
    package enum Duplicates: Sendable {
        /// An error.
        case refuse
        /// The last value counts, at the place of the first, as the RFC has it (sections 4.2.2 and 4.2.3.2).
        case lastWins
    }

    /// How much is taken. The numbers are those that section 3 demands of every reader at least.
    package enum Limits {
        /// Members of a list or a dictionary (sections 3.1 and 3.2).
        package static let members = 1024
        /// Items of an inner list (section 3.1.1).
        static let innerItems = 256
        /// Parameters of one item or inner list (section 3.1.2).
        static let parameters = 256
    }

    /// Reads a field value that is an item.
    ///
    /// - Parameters:
    ///   - value: the field value; indices serve as offsets.
    ///   - duplicates: what becomes of a parameter that comes twice.
    ///   - limit: how many bytes are allowed.
    /// - Throws: ``DecodeError`` at the byte at which it shows, also for an empty value.
    package static func readItem(
        _ value: ArraySlice<UInt8>, duplicates: Duplicates = .refuse, limit: Int = InputLimits.structuredField
    ) throws(DecodeError) -> StructuredItem {
        var scanner = try scanner(of: value, duplicates, limit)
        return try scanner.wholeItem(value.span)
    }

    /// Reads a field value that is a list. An empty value is a list without members.
    ///
    /// - Parameters:
    ///   - value: the field value; indices serve as offsets.
    ///   - duplicates: what becomes of a parameter that comes twice.
    ///   - limit: how many bytes are allowed.
    /// - Throws: ``DecodeError`` at the byte at which it shows.
    package static func readList(
        _ value: ArraySlice<UInt8>, duplicates: Duplicates = .refuse, limit: Int = InputLimits.structuredField
    ) throws(DecodeError) -> [StructuredMember] {
        var scanner = try scanner(of: value, duplicates, limit)
        return try scanner.wholeList(value.span)
    }

    /// Reads a field value that is a dictionary. An empty value is a dictionary without entries.
    ///
    /// - Parameters:
    ///   - value: the field value; indices serve as offsets.
    ///   - duplicates: what becomes of a key or a parameter that comes twice.
    ///   - limit: how many bytes are allowed.
    /// - Throws: ``DecodeError`` at the byte at which it shows.
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
