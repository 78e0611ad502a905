#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Splits a compact serialisation at its dots (RFC 7515 section 3.1, RFC 7516 section 3.1).
struct CompactParts {
    /// The text not read yet.
    private var rest: ArraySlice<UInt8>

    /// Throws unless the text has exactly `count` parts and at most `limit` characters; checks `limit` first.
    /// - Parameter form: the name of the serialisation, the field of errors.
    init(_ text: ArraySlice<UInt8>, count: Int, limit: Int, form: String) throws(DecodeError) {
        guard text.count <= limit else {
            throw DecodeError(
                .tooLarge, at: text.startIndex + limit, field: form,
                "\(text.count) characters, at most \(limit) are allowed")
        }
        rest = text
        // Does not store the positions: allocating an array costs more than a second search.
        var dots = 0
        var unseen = text
        while dots < count, let dot = Self.firstDot(in: unseen) {
            dots += 1
            unseen = unseen[(dot + 1)...]
        }
        guard dots == count - 1 else {
            let found =
                switch dots {
                case 0: "no dots"
                case ..<count: "\(dots + 1) parts between dots"
                default: "more than \(count) parts between dots"
                }
            throw DecodeError(
                .malformed, at: dots < count ? text.endIndex : unseen.startIndex - 1, field: form,
                "\(found), expected \(count) parts")
        }
    }

    /// The next part, up to the next dot or the end.
    mutating func next() -> ArraySlice<UInt8> {
        let part = rest
        guard let end = Self.firstDot(in: rest) else {
            rest = rest[rest.endIndex...]
            return part
        }
        rest = rest[(end + 1)...]
        return part[..<end]
    }

    /// The index of the first dot. `memchr` is fast on the long parts of tokens.
    private static func firstDot(in text: ArraySlice<UInt8>) -> Int? {
        unsafe text.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, let dot = unsafe memchr(start, 0x2E, buffer.count) else { return nil }
            return unsafe text.startIndex + (UnsafeRawPointer(dot) - start)
        }
    }

    static func decode(_ part: ArraySlice<UInt8>, field: String) throws(DecodeError) -> [UInt8] {
        do {
            return try Base64.decode(part, .url)
        } catch {
            throw error.within(field)
        }
    }
}
