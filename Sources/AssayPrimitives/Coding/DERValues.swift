package import FoundationEssentials

/// The values of DER elements. Each function checks the tag and the canonical encoding.
extension DERElement {
    private func require(_ expected: ASN1Tag) throws(DecodeError) {
        guard tag == expected else {
            throw DecodeError(.unexpectedType, at: bytes.startIndex, "expected \(expected), found \(tag)")
        }
    }

    /// A BOOLEAN: one byte, 0x00 or 0xFF (X.690 section 11.1).
    package func boolean() throws(DecodeError) -> Bool {
        try require(.boolean)
        guard contents.count == 1, let byte = contents.first, byte == 0x00 || byte == 0xFF else {
            throw DecodeError(.notMinimal, at: contents.startIndex, "a BOOLEAN is 00 or FF")
        }
        return byte == 0xFF
    }

    /// The contents of an INTEGER in two's complement, shortest form (X.690 section 8.3.2).
    package func integerBytes() throws(DecodeError) -> ArraySlice<UInt8> {
        try require(.integer)
        try DERElement.requireMinimalInteger(contents)
        return contents
    }

    /// Throws unless the contents of an INTEGER, which may have an implicit tag, are in the shortest form.
    package static func requireMinimalInteger(_ contents: ArraySlice<UInt8>) throws(DecodeError) {
        guard let first = contents.first else {
            throw DecodeError(.malformed, at: contents.startIndex, "an INTEGER has at least one byte")
        }
        if contents.count > 1 {
            let isNextNegative = contents[contents.startIndex + 1] & 0x80 != 0
            if (first == 0x00 && !isNextNegative) || (first == 0xFF && isNextNegative) {
                throw DecodeError(.notMinimal, at: contents.startIndex, "the INTEGER has a needless leading byte")
            }
        }
    }

    /// An INTEGER of at most 64 bits.
    package func integer() throws(DecodeError) -> Int64 {
        let bytes = try integerBytes()
        guard bytes.count <= 8, let first = bytes.first else {
            throw DecodeError(.tooLarge, at: bytes.startIndex, "the INTEGER has more than 64 bits")
        }
        var value: Int64 = first & 0x80 != 0 ? -1 : 0
        for byte in bytes { value = value << 8 | Int64(byte) }
        return value
    }

    package func octetString() throws(DecodeError) -> ArraySlice<UInt8> {
        try require(.octetString)
        return contents
    }

    /// A BIT STRING of whole bytes.
    package func bitStringBytes() throws(DecodeError) -> ArraySlice<UInt8> {
        let (unused, bits) = try bitString()
        guard unused == 0 else {
            throw DecodeError(
                .unexpectedValue, at: contents.startIndex, "expected whole bytes, found \(unused) unused bits")
        }
        return bits
    }

    /// A BIT STRING: the number of unused bits in the last byte, at most 7 and all zero, and the bytes.
    package func bitString() throws(DecodeError) -> (unusedBits: Int, bytes: ArraySlice<UInt8>) {
        try require(.bitString)
        guard let unused = contents.first else {
            throw DecodeError(.malformed, at: contents.startIndex, "a BIT STRING has at least one byte")
        }
        let bits = contents.dropFirst()
        guard unused <= 7, unused == 0 || !bits.isEmpty, (bits.last ?? 0) & ((1 << unused) - 1) == 0 else {
            throw DecodeError(.malformed, at: contents.startIndex, "unused bits must be at most 7, there, and zero")
        }
        return (Int(unused), bits)
    }

    package func null() throws(DecodeError) {
        try require(.null)
        guard contents.isEmpty else { throw DecodeError(.malformed, at: contents.startIndex, "a NULL is empty") }
    }

    /// The text of a UTF8String, PrintableString or IA5String, checked against its alphabet.
    package func text() throws(DecodeError) -> String {
        switch (tag.tagClass, tag.number, tag.isConstructed) {
        case (.universal, 12, false): break
        case (.universal, 19, false):
            guard contents.allSatisfy(DERElement.isPrintable) else {
                throw DecodeError(.invalidText, at: contents.startIndex, "not a PrintableString")
            }
        case (.universal, 22, false):
            guard contents.allSatisfy({ $0 < 0x80 }) else {
                throw DecodeError(.invalidText, at: contents.startIndex, "not an IA5String")
            }
        default: throw DecodeError(.unexpectedType, at: bytes.startIndex, "expected text, found \(tag)")
        }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw DecodeError(.invalidText, at: contents.startIndex, "not valid UTF-8")
        }
        return text
    }

    /// Whether a PrintableString may have a character: a letter, a digit, a space or one of `'()+,-./:=?`.
    static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F: true
        default: false
        }
    }

    /// A UTCTime (1950 to 2049) or GeneralizedTime as in RFC 5280 section 4.1.2.5: seconds, `Z`, no fraction.
    package func time() throws(DecodeError) -> Date {
        let isUTCTime = tag == .utcTime
        guard isUTCTime || tag == .generalizedTime else {
            throw DecodeError(.unexpectedType, at: bytes.startIndex, "expected a time, found \(tag)")
        }
        guard let time = DERElement.time(contents, yearLength: isUTCTime ? 2 : 4) else {
            throw DecodeError(
                .malformed, at: contents.startIndex, "not a time of the form \(isUTCTime ? "YY" : "YYYY")MMDDhhmmssZ")
        }
        return time
    }

    private static func time(_ text: ArraySlice<UInt8>, yearLength: Int) -> Date? {
        guard text.count == yearLength + 11, text.last == 0x5A,
            text.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let start = text.startIndex
        func number(at offset: Int) -> Int {
            Int(text[start + offset] - 0x30) * 10 + Int(text[start + offset + 1] - 0x30)
        }
        var year = number(at: 0)
        if yearLength == 4 { year = year * 100 + number(at: 2) } else { year += year < 50 ? 2000 : 1900 }
        let (hour, minute, second) = (
            number(at: yearLength + 4), number(at: yearLength + 6), number(at: yearLength + 8)
        )
        guard
            let days = RFC3339.daysSince1970(
                year: year, month: number(at: yearLength), day: number(at: yearLength + 2)),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }
}
