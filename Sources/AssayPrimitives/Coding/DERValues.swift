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
        return try scanner.boolean(in: bytes.span)
    }

    /// The contents of an INTEGER in two's complement, shortest form (X.690 section 8.3.2).
    package func integerBytes() throws(DecodeError) -> ArraySlice<UInt8> {
        try require(.integer)
        try DERElement.requireMinimalInteger(contents)
        return contents
    }

    /// Throws unless the contents of an INTEGER, which may have an implicit tag, are in the shortest form.
    package static func requireMinimalInteger(_ contents: ArraySlice<UInt8>) throws(DecodeError) {
        try DERScanner(contents).requireMinimalInteger(in: contents.span)
    }

    /// An INTEGER of at most 64 bits.
    package func integer() throws(DecodeError) -> Int64 {
        try require(.integer)
        return try scanner.integer(in: bytes.span)
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
        let (unused, bits) = try scanner.bitString(in: bytes.span)
        return (unused, bytes[bits.indices])
    }

    package func null() throws(DecodeError) {
        try require(.null)
        try scanner.null()
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
        try scanner.time(tag, in: bytes.span, at: bytes.startIndex)
    }
}

/// The values of the contents octets of DER elements.
extension DERScanner {
    package func boolean(in bytes: Span<UInt8>) throws(DecodeError) -> Bool {
        guard let byte = onlyByte(in: bytes), byte == 0x00 || byte == 0xFF else {
            throw DecodeError(.notMinimal, at: offset, "a BOOLEAN is 00 or FF")
        }
        return byte == 0xFF
    }

    /// Throws unless the contents of an INTEGER are in the shortest form.
    package func requireMinimalInteger(in bytes: Span<UInt8>) throws(DecodeError) {
        guard !isAtEnd else { throw DecodeError(.malformed, at: offset, "an INTEGER has at least one byte") }
        if count > 1 {
            let first = bytes[position]
            let isNextNegative = bytes[position + 1] & 0x80 != 0
            if (first == 0x00 && !isNextNegative) || (first == 0xFF && isNextNegative) {
                throw DecodeError(.notMinimal, at: offset, "the INTEGER has a needless leading byte")
            }
        }
    }

    func integer(in bytes: Span<UInt8>) throws(DecodeError) -> Int64 {
        try requireMinimalInteger(in: bytes)
        guard count <= 8 else { throw DecodeError(.tooLarge, at: offset, "the INTEGER has more than 64 bits") }
        var value: Int64 = bytes[position] & 0x80 != 0 ? -1 : 0
        for index in position..<end { value = value << 8 | Int64(bytes[index]) }
        return value
    }

    /// An INTEGER from 0 to 2^64 - 1.
    package func unsignedInteger(in bytes: Span<UInt8>) throws(DecodeError) -> UInt64 {
        try requireMinimalInteger(in: bytes)
        guard bytes[position] & 0x80 == 0 else {
            throw DecodeError(.unexpectedValue, at: offset, "the INTEGER is negative")
        }
        guard count <= (bytes[position] == 0 ? 9 : 8) else {
            throw DecodeError(.tooLarge, at: offset, "the INTEGER has more than 64 bits")
        }
        var value: UInt64 = 0
        for index in position..<end { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    /// The byte, if there is exactly one.
    package func onlyByte(in bytes: Span<UInt8>) -> UInt8? { count == 1 ? bytes[position] : nil }

    package func null() throws(DecodeError) {
        guard isAtEnd else { throw DecodeError(.malformed, at: offset, "a NULL is empty") }
    }

    func bitString(in bytes: Span<UInt8>) throws(DecodeError) -> (unusedBits: Int, bytes: DERScanner) {
        guard !isAtEnd else { throw DecodeError(.malformed, at: offset, "a BIT STRING has at least one byte") }
        let unused = bytes[position]
        guard unused <= 7, unused == 0 || count > 1 && bytes[end - 1] & ((1 << unused) - 1) == 0 else {
            throw DecodeError(.malformed, at: offset, "unused bits must be at most 7, there, and zero")
        }
        return (Int(unused), DERScanner(base: base, position: position + 1, end: end))
    }

    /// Throws unless these are the contents of an OBJECT IDENTIFIER of at most 128 bytes, whose components are in their shortest form
    /// and have at most 63 bits.
    func requireObjectIdentifier(in bytes: Span<UInt8>) throws(DecodeError) {
        guard count <= ObjectIdentifier.limit else {
            throw DecodeError(
                .tooLarge, at: offset,
                "an OBJECT IDENTIFIER of \(count) bytes, at most \(ObjectIdentifier.limit) are allowed")
        }
        guard !isAtEnd, bytes[end - 1] & 0x80 == 0 else {
            throw DecodeError(.truncated, at: base + end, "the OBJECT IDENTIFIER does not end")
        }
        var groups = 0
        for index in position..<end {
            let byte = bytes[index]
            if groups == 0, byte == 0x80 {
                throw DecodeError(.notMinimal, at: base + index, "a component has leading zeros")
            }
            groups = byte & 0x80 == 0 ? 0 : groups + 1
            guard groups < 9 else {
                throw DecodeError(.tooLarge, at: base + index, "a component has more than 63 bits")
            }
        }
    }

    /// Whether all characters are those of a PrintableString.
    func isPrintable(in bytes: Span<UInt8>) -> Bool {
        for index in position..<end where !DERElement.isPrintable(bytes[index]) { return false }
        return true
    }

    /// The time of an element with this tag, which begins at `start`.
    func time(_ tag: ASN1Tag, in bytes: Span<UInt8>, at start: Int) throws(DecodeError) -> Date {
        let isUTCTime = tag == .utcTime
        guard isUTCTime || tag == .generalizedTime else {
            throw DecodeError(.unexpectedType, at: start, "expected a time, found \(tag)")
        }
        guard let time = time(in: bytes, yearLength: isUTCTime ? 2 : 4) else {
            throw DecodeError(.malformed, at: offset, "not a time of the form \(isUTCTime ? "YY" : "YYYY")MMDDhhmmssZ")
        }
        return time
    }

    private func time(in bytes: Span<UInt8>, yearLength: Int) -> Date? {
        guard count == yearLength + 11, bytes[end - 1] == 0x5A else { return nil }
        for index in position..<end - 1 where !(0x30...0x39).contains(bytes[index]) { return nil }
        func number(_ place: Int) -> Int {
            Int(bytes[position + place] - 0x30) * 10 + Int(bytes[position + place + 1] - 0x30)
        }
        var year = number(0)
        if yearLength == 4 { year = year * 100 + number(2) } else { year += year < 50 ? 2000 : 1900 }
        let (hour, minute, second) = (number(yearLength + 4), number(yearLength + 6), number(yearLength + 8))
        guard
            let days = RFC3339.daysSince1970(year: year, month: number(yearLength), day: number(yearLength + 2)),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }
}
