import AssayCore

/// Finds encoded blobs in text, in one pass: also split over lines, each behind a prefix or in quotes, and with characters of the
/// alphabet written as escapes.
struct TextScan {
    struct Find {
        /// The word in front of the blob: the name of a member, a field or a variable.
        let label: String
        let range: Range<Int>
        /// The text of the blob, in one line and without escapes.
        let text: [UInt8]
        /// The encoding that was removed; nil for none.
        let encoding: String?
        /// The bytes, if the escapes stand for them and not for text.
        var raw: [UInt8]?
    }

    private struct Piece {
        var range: Range<Int>
        var text: [UInt8] = []
        var encoding: String?
    }

    private(set) var finds: [Find] = []

    private let bytes: [UInt8]
    /// The least length of a blob. An assertion has 140 bytes, a digest in base64 44 characters.
    private static let minimum = 48
    private static let maximumFinds = 64
    /// Text beyond is not scanned.
    private static let scanned = 4 * 1024 * 1024
    /// How far the columns of pieces behind prefixes may differ, such as behind `part 9/10` and `part 10/10`.
    private static let shift = 3
    /// The most quotes, signs and spaces around a piece of a line.
    private static let maximumAround = 64

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Some bytes in front may be the head of a binary message.
        let binary = bytes.prefix(64).filter { $0 < 0x20 && !LenientText.isSpace($0) }
        guard binary.count <= 16 else { return }
        var position = 0
        let end = min(bytes.count, Self.scanned)
        while position < end, finds.count < Self.maximumFinds {
            guard let first = piece(at: position) else {
                position += 1
                continue
            }
            position = first.range.upperBound
            guard first.text.count >= Self.minimum else { continue }
            let pieces = continued(first)
            position = pieces.last?.range.upperBound ?? position
            var whole = first
            for piece in pieces.dropFirst() {
                whole.text += piece.text
                whole.range = whole.range.lowerBound..<piece.range.upperBound
                whole.encoding = whole.encoding ?? piece.encoding
            }
            if !add(whole), pieces.count > 1 {
                for piece in pieces where finds.count < Self.maximumFinds { _ = add(piece) }
            }
        }
    }

    /// Adds a piece if it is a known blob.
    private mutating func add(_ piece: Piece) -> Bool {
        var text = piece.text
        var encoding = piece.encoding
        let label = label(before: piece.range.lowerBound)
        // Bytes that were decoded once are not text that was encoded twice.
        if text.allSatisfy({ (0x20..<0x80).contains($0) }), PercentEncoding.isUsed(in: text[...]) {
            text = PercentEncoding.decode(text[...])
            encoding = "percent-encoding"
        }
        if text.contains(where: { $0 >= 0x80 || $0 < 0x20 }) {
            guard StructuredBytes.isKnown(text) else { return false }
            finds.append(Find(label: label, range: piece.range, text: [], encoding: encoding, raw: text))
            return true
        }
        for start in starts(of: text, at: piece.range.lowerBound) {
            let candidate = Array(text.dropFirst(start))
            guard candidate.count >= Self.minimum - Self.shift,
                let blob = EmbeddedBlob(String(decoding: candidate, as: UTF8.self)),
                blob.secret != nil || blob.isWorthDecoding && HTTPValue.isKnown(blob)
            else { continue }
            finds.append(Find(label: label, range: piece.range, text: candidate, encoding: encoding))
            return true
        }
        return false
    }

    /// Where the blob may begin in a text: behind `0x`, the `x` of `\x`, or a length in binary that looks like characters.
    private func starts(of text: [UInt8], at place: Int) -> [Int] {
        if text.starts(with: [0x30, 0x78]) { return [2] }
        if text.first == 0x78, place > 0, bytes[place - 1] == 0x5C { return [1] }
        guard place <= 8 else { return [0] }
        // 0x78 to 0x7A begin a text string of CBOR with a length of one to four bytes.
        let isBehindHead =
            place == 0 ? (0x78...0x7A).contains(text.first ?? 0) : bytes[place - 1] < 0x20 || bytes[place - 1] >= 0x80
        return isBehindHead ? [0, 1, 2, 3] : [0]
    }

    // MARK: Pieces

    /// The characters of base64 in both alphabets, of hexadecimal, and of tokens with dots, from a position on; nil for none.
    private func piece(at start: Int) -> Piece? {
        guard bytes[start] != 0x2E, bytes[start] != 0x7E else { return nil }
        var piece = Piece(range: start..<start)
        var position = start
        while position < bytes.count {
            if Self.isOfAlphabet(bytes[position]) {
                piece.text.append(bytes[position])
                position += 1
                continue
            }
            guard let element = element(at: position, isEncoded: piece.encoding != nil) else { break }
            if let byte = element.byte { piece.text.append(byte) }
            if let encoding = element.encoding { piece.encoding = encoding }
            position += element.length
        }
        guard position > start else { return nil }
        while position < bytes.count, bytes[position] == 0x3D, piece.text.count >= 4 {
            piece.text.append(0x3D)
            position += 1
        }
        // A dot at the end closes a sentence.
        while position > start + 1, bytes[position - 1] == 0x2E, piece.text.last == 0x2E {
            piece.text.removeLast()
            position -= 1
        }
        piece.range = start..<position
        return piece
    }

    /// One character, plain or escaped. No byte: it only separates lines.
    private func element(at position: Int, isEncoded: Bool) -> (length: Int, byte: UInt8?, encoding: String?)? {
        let byte = bytes[position]
        if Self.isOfAlphabet(byte) || byte == 0x2E || byte == 0x7E && isEncoded { return (1, byte, nil) }
        switch byte {
        case 0x25:
            let digits = bytes[(position + 1)...].prefix(2).compactMap(\.hexadecimalValue)
            return digits.count == 2 ? (3, digits[0] << 4 | digits[1], "percent-encoding") : nil
        case 0x5C:
            // JSON in JSON doubles the backslashes.
            let slashes = bytes[position...].prefix(8).prefix { $0 == 0x5C }.count
            let rest = bytes[(position + slashes)...]
            switch rest.first {
            case 0x2F: return (slashes + 1, 0x2F, nil)
            case 0x6E, 0x72: return (slashes + 1, nil, nil)
            case 0x75:
                let digits = rest.dropFirst().prefix(4).compactMap(\.hexadecimalValue)
                guard digits.count == 4, digits[0] == 0, digits[1] == 0, digits[2] < 8 else { return nil }
                let character = digits[2] << 4 | digits[3]
                guard Self.isOfAlphabet(character) || character == 0x3D else { return nil }
                return (slashes + 5, character, "escapes")
            default: return nil
            }
        case 0x26:
            let entity = bytes[position...].prefix(8).prefix { $0 != 0x3B }
            guard entity.count < 8, position + entity.count < bytes.count, entity.starts(with: [0x26, 0x23]) else {
                return nil
            }
            let isHexadecimal = (entity.dropFirst(2).first ?? 0) | 0x20 == 0x78
            let digits = String(decoding: entity.dropFirst(isHexadecimal ? 3 : 2), as: UTF8.self)
            guard let character = UInt8(digits, radix: isHexadecimal ? 16 : 10),
                Self.isOfAlphabet(character) || character == 0x3D || character == 0x2E
            else { return nil }
            return (entity.count + 1, character, "entities of HTML")
        default: return nil
        }
    }

    /// A piece with those on the lines behind it: all of one length, the last of at most this length. The first line may be
    /// shorter, as a terminal wraps it.
    private func continued(_ first: Piece) -> [Piece] {
        var pieces = [first]
        var column = self.column(of: first.range.lowerBound)
        var length = first.text.count
        while let last = pieces.last, last.text.last != 0x3D, last.text.count >= length,
            let next = piece(behind: last, column: column)
        {
            guard next.text.count <= length || pieces.count == 1 else { break }
            length = max(length, next.text.count)
            column = self.column(of: next.range.lowerBound)
            pieces.append(next)
        }
        return pieces
    }

    /// The piece that ends the next line: behind nothing but quotes and signs, or in the same column.
    private func piece(behind last: Piece, column: Int) -> Piece? {
        let end = skip(from: last.range.upperBound, Self.isAround)
        guard end < bytes.count, bytes[end] == 0x0A else { return nil }
        let line = end + 1
        var start = line
        while start < bytes.count, start - line < Self.maximumAround, Self.isAround(bytes[start]) || isSign(start) {
            start += 1
        }
        if let piece = piece(endingLineAt: start) { return piece }
        // The prefix has no line end: it may be shorter than the line before.
        let from = line + max(0, column - Self.shift)
        guard from < bytes.count, !bytes[line..<from].contains(0x0A) else { return nil }
        var found: Piece?
        for start in from..<min(bytes.count, line + column + Self.shift + 1) {
            if bytes[start] == 0x0A { break }
            guard start == line || !Self.isOfAlphabet(bytes[start - 1]), let piece = piece(endingLineAt: start) else {
                continue
            }
            if piece.text.count > (found?.text.count ?? 0) { found = piece }
        }
        return found
    }

    private func piece(endingLineAt start: Int) -> Piece? {
        guard start < bytes.count, let piece = piece(at: start) else { return nil }
        let end = skip(from: piece.range.upperBound) { Self.isAround($0) || [0x7D, 0x5D].contains($0) }
        return end == bytes.count || bytes[end] == 0x0A || bytes[end] == 0x3C ? piece : nil
    }

    private func skip(from start: Int, _ isSkipped: (UInt8) -> Bool) -> Int {
        var position = start
        while position < bytes.count, position - start < Self.maximumAround,
            isSkipped(bytes[position]) || position > start && isSign(position)
        {
            position += 1
        }
        return position
    }

    /// Whether a `+` concatenates, and is no character of a piece.
    private func isSign(_ position: Int) -> Bool {
        guard bytes[position] == 0x2B else { return false }
        guard position + 1 < bytes.count else { return true }
        return LenientText.isSpace(bytes[position + 1]) || [0x22, 0x27].contains(bytes[position + 1])
    }

    /// Quotes, spaces, and signs that continue a line or concatenate.
    private static func isAround(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0D, 0x20, 0x22, 0x27, 0x28, 0x29, 0x2C, 0x2E, 0x3B, 0x3E, 0x5C, 0x60, 0x7C: true
        default: false
        }
    }

    /// The number of bytes before a position in its line, as far as one looks for a prefix.
    private func column(of position: Int) -> Int {
        bytes[max(0, position - 256)..<position].reversed().prefix { $0 != 0x0A }.count
    }

    private func label(before start: Int) -> String {
        let line = bytes[max(0, start - 200)..<start]
        let trimmed = line.reversed().drop { !Self.isOfName($0) }
        let name = trimmed.prefix(while: Self.isOfName).prefix(40)
        return name.isEmpty ? "text" : String(decoding: name.reversed(), as: UTF8.self)
    }

    private static func isOfAlphabet(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || [0x2B, 0x2D, 0x2F, 0x5F].contains(byte)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || [0x2D, 0x2E, 0x5F].contains(byte)
    }
}
