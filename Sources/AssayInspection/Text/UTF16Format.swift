/// Text in UTF-16, as PowerShell and Windows editors write it: with a byte order mark, or ASCII without one.
package enum UTF16Format: BlobFormat {
    package static let name = "text in UTF-16"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.count >= 4, bytes.count % 2 == 0, let order = order(of: bytes) else { return nil }
        guard hasMark(bytes) else {
            return Recognition(.certain, because: "every second byte is zero, as in ASCII text in UTF-16, \(order)")
        }
        // The high bytes of Latin text are zero.
        let high = bytes.indices.dropFirst(2).prefix(512).filter { $0 % 2 == (order == "big-endian" ? 0 : 1) }
        guard high.allSatisfy({ bytes[$0] == 0 }) else { return nil }
        return Recognition(.certain, because: "it begins with the byte order mark of UTF-16, \(order)")
    }

    /// Names the encoding. The text in UTF-8 becomes a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let isBig = order(of: bytes) == "big-endian"
        let units = stride(from: hasMark(bytes) ? 2 : 0, to: bytes.count - 1, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        let text = Array(String(decoding: units, as: UTF16.self).utf8)
        return BlobContents(
            [Annotation("text", at: bytes.indices, meaning: Words.count(units.count, "UTF-16 code unit"))],
            nested: [NestedBlob("text", encoding: "UTF-16", bytes: text, at: bytes.indices)])
    }

    /// The number of code units examined without a byte order mark, and the least number of them.
    private static let (examined, minimum) = (512, 16)

    private static func hasMark(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    }

    private static func order(of bytes: [UInt8]) -> String? {
        if hasMark(bytes) { return bytes[0] == 0xFF ? "little-endian" : "big-endian" }
        guard bytes.count >= minimum * 2 else { return nil }
        let first = bytes.prefix(examined * 2)
        func isASCII(_ parity: Int) -> Bool {
            first.indices.allSatisfy { index in
                let byte = first[index]
                return index % 2 == parity ? (0x20...0x7E).contains(byte) || LenientText.isSpace(byte) : byte == 0
            }
        }
        return isASCII(0) ? "little-endian" : isASCII(1) ? "big-endian" : nil
    }
}
