import AssayCore

/// Takes a compact serialisation apart at its dots (RFC 7515 section 3.1, RFC 7516 section 3.1).
enum CompactParts {
    /// The parts of a text, of which there must be exactly `count`.
    ///
    /// - Parameters:
    ///   - text: the serialisation; indices serve as offsets.
    ///   - count: how many parts the form has.
    ///   - limit: how many characters are allowed, looked at before anything else.
    ///   - form: the name of the form, for errors.
    static func split(
        _ text: ArraySlice<UInt8>, count: Int, limit: Int, form: String
    ) throws(DecodeError) -> [ArraySlice<UInt8>] {
        guard text.count <= limit else {
            throw DecodeError(
                .tooLarge, at: text.startIndex + limit, field: form,
                "\(text.count) characters, at most \(limit) are allowed")
        }
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: count, omittingEmptySubsequences: false)
        guard parts.count == count else {
            throw DecodeError(
                .malformed, at: parts.count < count ? text.endIndex : parts[count].startIndex - 1, field: form,
                "\(parts.count < count ? "\(parts.count)" : "more than \(count)") parts between dots, "
                    + "expected \(count)")
        }
        return parts
    }

    /// The bytes of a part.
    static func decode(_ part: ArraySlice<UInt8>, field: String) throws(DecodeError) -> [UInt8] {
        do {
            return try Base64.decode(part, .url)
        } catch {
            throw error.within(field)
        }
    }
}
