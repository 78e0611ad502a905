import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
        var parts: [ArraySlice<UInt8>] = []
        parts.reserveCapacity(count)
        var rest = text
        while parts.count < count, let dot = firstDot(in: rest) {
            parts.append(rest[..<dot])
            rest = rest[(dot + 1)...]
        }
        guard parts.count == count - 1 else {
            let found =
                switch parts.count {
                case 0: "no dots"
                case ..<count: "\(parts.count + 1) parts between dots"
                default: "more than \(count) parts between dots"
                }
            throw DecodeError(
                .malformed, at: parts.count < count ? text.endIndex : rest.startIndex - 1, field: form,
                "\(found), expected \(count) parts")
        }
        parts.append(rest)
        return parts
    }

    /// The index of the first dot. `memchr` looks at many characters at a time, and most of a token is one long part.
    private static func firstDot(in text: ArraySlice<UInt8>) -> Int? {
        unsafe text.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, let dot = unsafe memchr(start, 0x2E, buffer.count) else { return nil }
            return unsafe text.startIndex + (UnsafeRawPointer(dot) - start)
        }
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
