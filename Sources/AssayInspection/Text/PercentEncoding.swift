import AssayCore

/// Decodes percent-encoding (RFC 3986 section 2.1) as far as possible.
enum PercentEncoding {
    /// The decoded bytes. A `%` without two digits is kept.
    ///
    /// - Parameter plusIsSpace: whether `+` is a space, as in forms.
    static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            if byte == 0x25, position + 1 < text.endIndex, let high = text[position].hexadecimalValue,
                let low = text[position + 1].hexadecimalValue
            {
                bytes.append(high << 4 | low)
                position += 2
            } else {
                bytes.append(byte == 0x2B && plusIsSpace ? 0x20 : byte)
            }
        }
        return bytes
    }

    /// Whether the text has percent-encoding.
    static func isUsed(in text: ArraySlice<UInt8>) -> Bool {
        guard let percent = text.firstIndex(of: 0x25), text.endIndex - percent >= 3 else { return false }
        return text[percent + 1].hexadecimalValue != nil && text[percent + 2].hexadecimalValue != nil
    }
}
