import AssayPrimitives

/// Bare items (RFC 9651 section 4.2.3.1).
extension StructuredFieldScanner {
    mutating func bareItem(_ span: Span<UInt8>) throws(DecodeError) -> StructuredBareItem {
        guard let first = current(span) else { throw unexpected("a value", span) }
        switch first {
        case UInt8(ascii: "\""): return .string(try string(span))
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return try number(span)
        case UInt8(ascii: ":"): return .byteSequence(try byteSequence(span))
        case UInt8(ascii: "?"): return .boolean(try boolean(span))
        case UInt8(ascii: "@"): return .date(try date(span))
        case UInt8(ascii: "%"): return .displayString(try displayString(span))
        case _ where StructuredCharacters.beginsToken(first): return .token(token(span))
        default: throw unexpected("a value", span)
        }
    }

    /// Section 4.2.4: at most 15 digits, or 12 before a point and 3 after it.
    private mutating func number(_ span: Span<UInt8>) throws(DecodeError) -> StructuredBareItem {
        let start = position
        let isNegative = span[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let (whole, wholeDigits) = try digits(span, atMost: 15, of: start)
        guard current(span) == UInt8(ascii: ".") else { return .integer(isNegative ? -whole : whole) }
        guard wholeDigits <= 12 else {
            throw DecodeError(.tooLarge, at: offset(start), "a Decimal has at most 12 digits before its point")
        }
        position += 1
        var (fraction, fractionDigits) = try digits(span, atMost: 3, of: start)
        for _ in fractionDigits..<3 { fraction *= 10 }
        let thousandths = whole * 1000 + fraction
        return .decimal(StructuredDecimal(thousandths: isNegative ? -thousandths : thousandths))
    }

    /// Reads one or more digits. Returns their value and their number.
    private mutating func digits(
        _ span: Span<UInt8>, atMost limit: Int, of start: Int
    ) throws(DecodeError) -> (Int64, Int) {
        let first = position
        var value: Int64 = 0
        while let byte = current(span), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            guard position - first < limit else {
                throw DecodeError(.tooLarge, at: offset(start), "more than \(limit) digits in a row in a number")
            }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position += 1
        }
        guard position > first else { throw unexpected("a digit", span) }
        return (value, position - first)
    }

    /// Section 4.2.5.
    private mutating func string(_ span: Span<UInt8>) throws(DecodeError) -> String {
        let start = position + 1
        position = start
        while let byte = current(span) {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: slice(start..<position - 1), as: UTF8.self)
            case UInt8(ascii: "\\"):
                return try stringWithEscapes(span, Array(slice(start..<position)))
            case 0x20...0x7E: position += 1
            default: throw unexpected("printable ASCII in a String", span)
            }
        }
        throw unexpected("'\"'", span)
    }

    /// Reads the rest of a string from its first escape.
    private mutating func stringWithEscapes(
        _ span: Span<UInt8>, _ beginning: [UInt8]
    ) throws(DecodeError) -> String {
        var text = beginning
        while let byte = current(span) {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = current(span), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    throw unexpected("'\"' or '\\' after '\\'", span)
                }
                position += 1
                text.append(escaped)
            case 0x20...0x7E: text.append(byte)
            default:
                position -= 1
                throw unexpected("printable ASCII in a String", span)
            }
        }
        throw unexpected("'\"'", span)
    }

    /// Section 4.2.6.
    private mutating func token(_ span: Span<UInt8>) -> String {
        let start = position
        while position < span.count, StructuredCharacters.continuesToken(span[position]) { position += 1 }
        return String(decoding: slice(start..<position), as: UTF8.self)
    }

    /// Section 4.2.7, with canonical base64 only.
    private mutating func byteSequence(_ span: Span<UInt8>) throws(DecodeError) -> [UInt8] {
        position += 1
        let start = position
        while position < span.count, span[position] != UInt8(ascii: ":") { position += 1 }
        guard position < span.count else { throw unexpected("':'", span) }
        let value = try Base64.decode(slice(start..<position), .standard)
        position += 1
        return value
    }

    /// Section 4.2.8.
    private mutating func boolean(_ span: Span<UInt8>) throws(DecodeError) -> Bool {
        position += 1
        let value = current(span)
        guard value == UInt8(ascii: "0") || value == UInt8(ascii: "1") else { throw unexpected("'0' or '1'", span) }
        position += 1
        return value == UInt8(ascii: "1")
    }

    /// Section 4.2.9.
    private mutating func date(_ span: Span<UInt8>) throws(DecodeError) -> Int64 {
        position += 1
        let start = position
        guard let first = current(span),
            first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { throw unexpected("an Integer", span) }
        guard case .integer(let seconds) = try number(span) else {
            throw DecodeError(.unexpectedType, at: offset(start), "a Date has no fraction")
        }
        return seconds
    }

    /// Section 4.2.10.
    private mutating func displayString(_ span: Span<UInt8>) throws(DecodeError) -> String {
        let start = position
        position += 1
        guard current(span) == UInt8(ascii: "\"") else { throw unexpected("'\"'", span) }
        position += 1
        var text: [UInt8] = []
        while let byte = current(span) {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let valid = String(validating: text, as: UTF8.self) else {
                    throw DecodeError(.invalidText, at: offset(start), "a Display String is not valid UTF-8")
                }
                return valid
            case UInt8(ascii: "%"):
                position += 1
                let high = try hexadecimalDigit(span)
                text.append(high << 4 | (try hexadecimalDigit(span)))
            case 0x20...0x7E:
                position += 1
                text.append(byte)
            default: throw unexpected("printable ASCII in a Display String", span)
            }
        }
        throw unexpected("'\"'", span)
    }

    private mutating func hexadecimalDigit(_ span: Span<UInt8>) throws(DecodeError) -> UInt8 {
        switch current(span) {
        case .some(let byte) where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
            position += 1
            return byte - UInt8(ascii: "0")
        case .some(let byte) where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
            position += 1
            return byte - UInt8(ascii: "a") + 10
        default: throw unexpected("a lower-case hexadecimal digit", span)
        }
    }
}
