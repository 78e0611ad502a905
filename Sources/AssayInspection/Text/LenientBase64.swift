/// Decodes base64 in any alphabet as far as possible. Verification uses `Base64`.
package struct LenientBase64: Sendable {
    /// The bytes decoded from characters of the alphabet. Other characters are ignored.
    package private(set) var bytes: [UInt8] = []
    /// `base64`, `base64url`, or a text for input that could be either.
    let encoding: String
    /// The errors that a strict decoder would report.
    package private(set) var irregularities: [String] = []
    /// The number of characters of the alphabet.
    let count: Int
    /// The number of other characters, without white space and padding.
    let strayCount: Int
    /// Whether there is white space, such as line breaks.
    let hasSpace: Bool

    private static let stray: UInt8 = 0x80
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: stray, count: 256)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for (value, character) in letters.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        for character in "+-".utf8 { values[Int(character)] = 62 }
        for character in "/_".utf8 { values[Int(character)] = 63 }
        return values
    }()

    package static func decode(_ text: ArraySlice<UInt8>) -> LenientBase64 { LenientBase64(text) }

    private init(_ text: ArraySlice<UInt8>) {
        var group: UInt32 = 0
        var bits = 0
        var characters = 0
        var (strays, spaces, padding, standard, url) = (0, 0, 0, 0, 0)
        var isPaddingInside = false
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        for character in text {
            let value = LenientBase64.values[Int(character)]
            if value == LenientBase64.stray {
                switch character {
                case 0x3D: padding += 1
                case _ where LenientText.isSpace(character): spaces += 1
                default: strays += 1
                }
                continue
            }
            if padding > 0 { isPaddingInside = true }
            switch character {
            case 0x2B, 0x2F: standard += 1
            case 0x2D, 0x5F: url += 1
            default: break
            }
            characters += 1
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            }
        }
        count = characters
        strayCount = strays
        hasSpace = spaces > 0
        encoding =
            switch (standard > 0, url > 0) {
            case (true, false): "base64"
            case (false, true): "base64url"
            case (true, true): "base64 of both alphabets"
            case (false, false): padding > 0 ? "base64" : "base64 or base64url"
            }
        if strays > 0 {
            irregularities.append("\(Words.count(strays, "character")) outside of every alphabet, left out")
        }
        if standard > 0, url > 0 { irregularities.append("characters of both alphabets") }
        if characters % 4 == 1 { irregularities.append("one character is left over, so the text is cut or changed") }
        if bits > 0, characters % 4 != 1, group & ((1 << UInt32(bits)) - 1) != 0 {
            irregularities.append("the last character has bits that belong to no byte")
        }
        if isPaddingInside { irregularities.append("padding in the middle") }
        let needed = (4 - characters % 4) % 4
        if url > 0 {
            if padding > 0 { irregularities.append("padding, which base64url is seldom written with") }
        } else if padding != needed, characters % 4 != 1, standard > 0 || padding > 0 {
            irregularities.append("\(Words.count(padding, "character")) of padding, \(needed) expected")
        }
        if spaces > 0 { irregularities.append("line breaks or spaces") }
    }
}
