import AssayPrimitives

/// Bare items (RFC 9651 section 4.1.3.1).
extension StructuredFieldWriter {
    static func append(_ value: StructuredBareItem, to output: inout [UInt8]) throws(SerialisationError) {
        switch value {
        case .integer(let number): try append(integer: number, to: &output)
        case .decimal(let number): try append(number, to: &output)
        case .string(let text): try append(string: text, to: &output)
        case .token(let word): try append(token: word, to: &output)
        case .byteSequence(let bytes):
            output.append(UInt8(ascii: ":"))
            output.append(contentsOf: Base64.encode(bytes, .standard).utf8)
            output.append(UInt8(ascii: ":"))
        case .boolean(let flag): output += [UInt8(ascii: "?"), UInt8(ascii: flag ? "1" : "0")]
        case .date(let seconds):
            output.append(UInt8(ascii: "@"))
            try append(integer: seconds, to: &output)
        case .displayString(let text): append(displayString: text, to: &output)
        }
    }

    private static func append(integer: Int64, to output: inout [UInt8]) throws(SerialisationError) {
        guard integer.magnitude <= 999_999_999_999_999 else {
            throw SerialisationError("\(integer) has more than 15 digits")
        }
        output.append(contentsOf: String(integer).utf8)
    }

    /// Section 4.1.5: no trailing zeros, but at least one digit after the point.
    private static func append(_ number: StructuredDecimal, to output: inout [UInt8]) throws(SerialisationError) {
        guard number.thousandths.magnitude <= UInt64(StructuredDecimal.limit) else {
            throw SerialisationError("a Decimal has at most 12 digits before its point")
        }
        if number.thousandths < 0 { output.append(UInt8(ascii: "-")) }
        let (whole, thousandths) = number.thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        output.append(contentsOf: String(whole).utf8)
        output.append(UInt8(ascii: "."))
        var rest = thousandths
        var weight: UInt64 = 100
        repeat {
            output.append(UInt8(ascii: "0") + UInt8(rest / weight))
            rest %= weight
            weight /= 10
        } while rest > 0
    }

    private static func append(string text: String, to output: inout [UInt8]) throws(SerialisationError) {
        output.append(UInt8(ascii: "\""))
        let bytes = Array(text.utf8)
        if bytes.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            output += bytes
            output.append(UInt8(ascii: "\""))
            return
        }
        for byte in bytes {
            guard (0x20...0x7E).contains(byte) else {
                throw SerialisationError("a String is of printable ASCII, found \"\(text.excerpt)\"")
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { output.append(UInt8(ascii: "\\")) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func append(token word: String, to output: inout [UInt8]) throws(SerialisationError) {
        guard let first = word.utf8.first, StructuredCharacters.beginsToken(first),
            word.utf8.allSatisfy(StructuredCharacters.continuesToken)
        else { throw SerialisationError("\"\(word.excerpt)\" is no Token") }
        output.append(contentsOf: word.utf8)
    }

    /// Section 4.1.11.
    private static func append(displayString text: String, to output: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        output += [UInt8(ascii: "%"), UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "\"") {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
