/// Text of the head of an answer, which is built as bytes once: `HTTPFields` would be built, read again and encoded.
extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(text: String) {
        // Strings of Swift are contiguous.
        let appended: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if appended == nil { append(contentsOf: text.utf8) }
    }

    /// Appends the line of a field (RFC 9112, section 5).
    ///
    /// - Parameter value: visible ASCII and single spaces; any other byte would be a different field, or another answer.
    mutating func append(field name: StaticString, _ value: String) {
        append(name)
        append(": ")
        append(text: value)
        append("\r\n")
    }
}
