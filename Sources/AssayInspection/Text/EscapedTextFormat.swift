import AssayCore

/// Bytes written as characters: string literals with escapes, quoted-printable, Latin-1, a field of a form whose `+` became spaces,
/// and a dump with a prefix on each line.
package enum EscapedTextFormat: BlobFormat {
    package static let name = "text with escapes"

    /// Recognises a text only if evidence, or another structure, comes out of it.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        EscapedText(bytes).map {
            Recognition(.structure, because: "it is \($0.form) of \(Words.count($0.bytes.count, "byte"))")
        }
    }

    /// Names the form. The bytes become a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let text = EscapedText(bytes) else {
            return BlobContents([Annotation("text", at: bytes.indices, violation: "nothing known comes out of it")])
        }
        return BlobContents("text", at: bytes.indices, form: text.form, holding: "bytes", text.bytes)
    }
}

private struct EscapedText {
    let form: String
    let bytes: [UInt8]

    /// Longer text is not decoded, and no more string literals or fields than these are tried.
    private static let (scanned, tried) = (4 * 1024 * 1024, 64)

    /// Tries each form; nil if nothing known comes out of any.
    init?(_ input: [UInt8]) {
        let text = LenientText.body(input)
        guard (32...Self.scanned).contains(text.count) else { return nil }
        if let bytes = Self.latin1(input[...]) {
            (form, self.bytes) = ("UTF-8 of bytes that were taken for Latin-1", bytes)
            return
        }
        guard text.prefix(64).allSatisfy({ $0 >= 0x20 || LenientText.isSpace($0) }) else { return nil }
        if let bytes = Self.literals(text).first(where: StructuredBytes.isKnown) {
            (form, self.bytes) = ("a string with escapes", bytes)
        } else if let bytes = Self.quotedPrintable(text) {
            (form, self.bytes) = ("quoted-printable", bytes)
        } else if let bytes = Self.formField(text) {
            (form, self.bytes) = ("a form with base64 in which spaces stand where + belongs", bytes)
        } else if let bytes = Self.prefixedDump(text) {
            (form, self.bytes) = ("a dump behind a prefix on each line", bytes)
        } else {
            return nil
        }
    }

    /// The bytes of the string literals, those concatenated over lines as one, and of the line from the first backslash on.
    private static func literals(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
        guard let backslash = text.firstIndex(of: 0x5C) else { return [] }
        let bare = text[backslash...].prefix { $0 != 0x0A }
        guard let quote = text.first(where: { $0 == 0x22 || $0 == 0x27 }) else { return [unescaped(bare[...])] }
        var literals: [[UInt8]] = []
        var position = text.startIndex
        var isJoined = false
        while position < text.endIndex, literals.count < tried {
            if text[position] != quote {
                // The gap between two pieces of one literal: concatenation, and the prefix of Python's bytes.
                isJoined =
                    isJoined
                    && (LenientText.isSpace(text[position]) || [0x2B, 0x2E, 0x5C, 0x62].contains(text[position]))
                position += 1
                continue
            }
            let start = position + 1
            position = start
            while position < text.endIndex, text[position] != quote {
                position += text[position] == 0x5C ? 2 : 1
            }
            let piece = unescaped(text[start..<min(position, text.endIndex)])
            position += 1
            if isJoined, !literals.isEmpty { literals[literals.count - 1] += piece } else { literals.append(piece) }
            isJoined = true
        }
        return literals + [unescaped(bare[...])]
    }

    private static let simple: [UInt8: UInt8] = [
        0x61: 7, 0x62: 8, 0x74: 9, 0x6E: 10, 0x76: 11, 0x66: 12, 0x72: 13, 0x65: 27,
    ]

    /// Decodes `\xA3`, `\243`, `\u00a3`, `\n` and the like. A backslash before any other character is left out.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var position = text.startIndex
        /// The number in at most `count` digits; nil without a digit. Moves behind it.
        func number(_ radix: Int, atMost count: Int) -> Int? {
            let digits = text[position...].prefix(count).prefix { $0.hexadecimalValue.map { Int($0) < radix } ?? false }
            position = digits.endIndex
            return digits.isEmpty ? nil : digits.reduce(0) { $0 * radix + Int($1.hexadecimalValue ?? 0) }
        }
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == 0x5C, position < text.endIndex else {
                bytes.append(byte)
                continue
            }
            let kind = text[position]
            switch kind {
            case 0x30...0x37: bytes.append(UInt8(truncatingIfNeeded: number(8, atMost: 3) ?? 0))
            case 0x78, 0x75:
                position += 1
                if let code = number(16, atMost: kind == 0x78 ? 2 : 4) { bytes.append(UInt8(truncatingIfNeeded: code)) }
            default:
                position += 1
                bytes.append(simple[kind] ?? kind)
            }
        }
        return bytes
    }

    /// Decodes quoted-printable (RFC 2045 section 6.7), if lines end in its soft line breaks; nil for other text.
    private static func quotedPrintable(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let lines = text.prefix(4096).split(separator: 0x0A).dropLast().map { $0.last == 0x0D ? $0.dropLast() : $0 }
        let soft = lines.filter { $0.last == 0x3D && $0.dropLast().last != 0x3D }
        guard lines.count >= 2, soft.count * 2 >= lines.count, lines.allSatisfy({ $0.count <= 78 }) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == 0x3D else {
                bytes.append(byte)
                continue
            }
            let next = text[position...].prefix(2)
            if next.first == 0x0A || next.elementsEqual([0x0D, 0x0A]) {
                position += next.first == 0x0A ? 1 : 2
            } else if next.count == 2, let high = next.first?.hexadecimalValue, let low = next.last?.hexadecimalValue {
                bytes.append(high << 4 | low)
                position += 2
            } else {
                bytes.append(byte)
            }
        }
        let isText = EncodedText(bytes).map { $0.isPlausible && $0.isOnePiece } ?? false
        return isText || StructuredBytes.isKnown(bytes) || EvidenceTextFormat.recognise(bytes) != nil ? bytes : nil
    }

    /// The bytes of which each was written as the character of Latin-1; nil for other text.
    private static func latin1(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.prefix(64).contains(where: { $0 == 0xC2 || $0 == 0xC3 }) else { return nil }
        return String(validating: text, as: UTF8.self).flatMap(StructuredBytes.ofLatin1)
    }

    /// The bytes of the first field of a form that is base64 with spaces in place of `+`.
    private static func formField(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        for pair in text.split(separator: 0x26, maxSplits: tried) {
            let value = pair[pair.prefix { $0 != 0x3D }.endIndex...].dropFirst()
            guard value.count >= 48, value.contains(0x20) else { continue }
            let decoded = LenientBase64.decode(value.map { $0 == 0x20 ? 0x2B : $0 }[...])
            if decoded.strayCount == 0, decoded.irregularities.isEmpty, StructuredBytes.isKnown(decoded.bytes) {
                return decoded.bytes
            }
        }
        return nil
    }

    /// The dump without as many characters of each line as stand before its first offset.
    private static func prefixedDump(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let start = text.prefix(4096).firstRange(of: "0000000".utf8)?.lowerBound else { return nil }
        let line = text[..<start].lastIndex(of: 0x0A).map { $0 + 1 } ?? text.startIndex
        guard line < start else { return nil }
        var dump: [UInt8] = []
        dump.reserveCapacity(text.count)
        for row in text[line...].split(separator: 0x0A) {
            dump += row.dropFirst(start - line)
            dump.append(0x0A)
        }
        return HexDumpFormat.recognise(dump)?.certainty == .certain ? dump : nil
    }
}

/// Tells evidence from other bytes by its structure.
enum StructuredBytes {
    /// Whether bytes are CBOR, DER, a private key, or a message around CBOR of evidence.
    static func isKnown(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 16 else { return false }
        return [CBORFormat.recognise(bytes), DERFormat.recognise(bytes), FramedFormat.recognise(bytes)]
            .contains { ($0?.certainty ?? .guess) > .guess } || PrivateKeys.describe(bytes) != nil
    }

    /// The bytes whose characters of Latin-1 a text has, if they are known; nil for other text, and for ASCII.
    static func ofLatin1(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes.contains { $0 >= 0x80 } && isKnown(bytes) ? bytes : nil
    }
}
