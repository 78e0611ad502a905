import AssayPrimitives

/// A symmetric key as users paste it: base64 or hexadecimal digits, with optional white space and quotes. Decodes only
/// within secret memory: a general decoder would leave copies of the key.
package enum SecretKeyText {
    /// A text that is not such a key. Contains the kind and length of the text, never its value.
    package struct Problem: Error, Equatable {
        /// What was found.
        package enum Kind: Equatable, Sendable {
            /// Empty, or only white space and quotes.
            case empty
            /// A PEM block, with the text of its label.
            case pem(String)
            /// Hexadecimal digits, in a wrong number.
            case hexadecimal(digits: Int)
            /// Base64 that encodes a wrong number of bytes.
            case base64(bytes: Int)
            /// Bytes that are not text.
            case binary(bytes: Int)
            /// Text of another kind.
            case otherText(characters: Int)
        }

        /// What was found.
        package let kind: Kind

        /// What was found, in words.
        package var found: String {
            switch kind {
            case .empty: "nothing"
            case .pem(let label): "a PEM block\(label.isEmpty ? "" : " \(label)")"
            case .hexadecimal(let digits): "\(digits) hexadecimal digits"
            case .base64(let bytes): "base64 of \(bytes) bytes"
            case .binary(let bytes): "\(bytes) bytes that are no text"
            case .otherText(let characters): "\(characters) characters that are neither base64 nor hexadecimal"
            }
        }
    }

    /// Decodes a key.
    ///
    /// - Parameters:
    ///   - text: base64 in either alphabet with or without padding, or two hexadecimal digits for each byte. Ignores
    ///     surrounding white space and one pair of matching quotes.
    ///   - byteCount: the length of the key, in bytes. No text may be valid in both encodings: 32 bytes are 64 digits
    ///     or 43 characters.
    package static func decode(_ text: SecretBytes, byteCount: Int) throws(Problem) -> SecretBytes {
        try text.withUnsafeBytes { (bytes) throws(Problem) in
            let body = trimmed(bytes)
            if isHexadecimal(body, byteCount: byteCount) {
                return SecretBytes(count: byteCount) { output in
                    for index in 0..<byteCount {
                        let (high, low) = (body[body.startIndex + 2 * index], body[body.startIndex + 2 * index + 1])
                        output[index] = (high.hexadecimalValue ?? 0) << 4 | (low.hexadecimalValue ?? 0)
                    }
                }
            }
            guard base64Length(of: body) == byteCount else { throw Problem(kind: kind(of: body, in: bytes)) }
            return SecretBytes(count: byteCount) { output in decodeBase64(body, into: output) }
        }
    }

    /// Decodes a base64 key that has one of several lengths. Refuses a text that is also a key in hexadecimal digits.
    ///
    /// - Parameter text: base64 in either alphabet with or without padding. Ignores all white space, as terminals and
    ///   mails wrap lines, and one pair of matching quotes.
    package static func decodeBase64(_ text: SecretBytes, byteCounts: ClosedRange<Int>) throws(Problem) -> SecretBytes {
        let joined = text.withUnsafeBytes { (bytes) in
            let body = trimmed(bytes)
            let isPEM = body.starts(with: "-----BEGIN ".utf8)
            return SecretBytes(count: isPEM ? body.count : body.count { !isSpace($0) }) { output in
                var position = 0
                for byte in body where isPEM || !isSpace(byte) {
                    output[position] = byte
                    position += 1
                }
            }
        }
        return try joined.withUnsafeBytes { (bytes) throws(Problem) in
            let body = bytes[...]
            guard let count = base64Length(of: body), byteCounts.contains(count),
                !byteCounts.contains(where: { 2 * $0 == body.count && isHexadecimal(body, byteCount: $0) })
            else { throw Problem(kind: kind(of: body, in: bytes)) }
            return SecretBytes(count: count) { output in decodeBase64(body, into: output) }
        }
    }

    private static func isHexadecimal(_ body: Slice<UnsafeRawBufferPointer>, byteCount: Int) -> Bool {
        body.count == 2 * byteCount && body.allSatisfy { $0.hexadecimalValue != nil }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        func withoutSpace(_ slice: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
            let rest = slice.drop(while: isSpace)
            return rest[..<((rest.lastIndex { !isSpace($0) } ?? rest.startIndex - 1) + 1)]
        }
        let text = withoutSpace(bytes[...])
        guard text.count >= 2, let quote = text.first, quote == text.last, quote == 0x22 || quote == 0x27 else {
            return text
        }
        return withoutSpace(text.dropFirst().dropLast())
    }

    /// The value of a character of either base64 alphabet.
    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case 0x2B, 0x2D: 62
        case 0x2F, 0x5F: 63
        default: nil
        }
    }

    private static func withoutPadding(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        text[..<((text.lastIndex { $0 != 0x3D } ?? text.startIndex - 1) + 1)]
    }

    /// The number of bytes that a base64 text encodes; nil for characters outside the alphabets or of both, wrong
    /// padding, or unused bits that are set.
    private static func base64Length(of text: Slice<UnsafeRawBufferPointer>) -> Int? {
        let body = withoutPadding(text)
        let padding = text.count - body.count
        guard let last = body.last.flatMap(sextet), body.allSatisfy({ sextet($0) != nil }), body.count % 4 != 1,
            padding == 0 || padding == (4 - body.count % 4) % 4,
            !(body.contains { $0 == 0x2B || $0 == 0x2F } && body.contains { $0 == 0x2D || $0 == 0x5F })
        else { return nil }
        let spare: UInt8 = body.count % 4 == 2 ? 0x0F : body.count % 4 == 3 ? 0x03 : 0
        return last & spare == 0 ? body.count * 3 / 4 : nil
    }

    private static func decodeBase64(
        _ text: Slice<UnsafeRawBufferPointer>, into output: UnsafeMutableRawBufferPointer
    ) {
        var group: UInt32 = 0
        var bits = 0
        var position = 0
        for character in withoutPadding(text) {
            group = group << 6 | UInt32(sextet(character) ?? 0)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            output[position] = UInt8(truncatingIfNeeded: group >> UInt32(bits))
            position += 1
        }
    }

    private static func kind(
        of body: Slice<UnsafeRawBufferPointer>, in bytes: UnsafeRawBufferPointer
    ) -> Problem.Kind {
        if body.isEmpty { return .empty }
        if body.starts(with: "-----BEGIN ".utf8) {
            let label = body.dropFirst(11).prefix(24).prefix { (0x41...0x5A).contains($0) || $0 == 0x20 }
            return .pem(String(decoding: label, as: UTF8.self))
        }
        guard body.allSatisfy({ (0x20...0x7E).contains($0) || isSpace($0) }) else {
            return .binary(bytes: bytes.count)
        }
        if body.allSatisfy({ $0.hexadecimalValue != nil }) { return .hexadecimal(digits: body.count) }
        return base64Length(of: body).map { .base64(bytes: $0) } ?? .otherText(characters: body.count)
    }
}
