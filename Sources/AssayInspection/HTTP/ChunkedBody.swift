import AssayCore

/// A chunked body (RFC 9112 section 7.1), joined as far as possible.
struct ChunkedBody {
    /// The joined data.
    private(set) var bytes: [UInt8] = []
    /// The number of chunks with data.
    private(set) var count = 0
    /// Why the body does not end correctly; nil if it does.
    private(set) var violation: String?

    init(_ body: ArraySlice<UInt8>) {
        var rest = body
        while true {
            let line = rest.prefix { $0 != 0x0A }
            let digits = line.prefix { $0.hexadecimalValue != nil }
            guard !digits.isEmpty, digits.count <= 8 else {
                violation =
                    rest.isEmpty
                    ? "the last chunk, of length 0, is missing" : "no length of a chunk at byte \(rest.startIndex)"
                return
            }
            let length = digits.reduce(0) { $0 << 4 | Int($1.hexadecimalValue ?? 0) }
            rest = rest[line.endIndex...].dropFirst()
            guard length > 0 else { return }
            bytes += rest.prefix(length)
            count += 1
            guard rest.count >= length else {
                violation = "a chunk claims \(length) bytes, \(rest.count) are left"
                return
            }
            rest = rest.dropFirst(length)
            if rest.first == 0x0D { rest = rest.dropFirst() }
            if rest.first == 0x0A { rest = rest.dropFirst() }
        }
    }
}
