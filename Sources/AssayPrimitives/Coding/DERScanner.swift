/// Reads DER by the rules of ``DERReader`` from a part of an input that is known by positions: copies count no
/// reference, as copies of slices do. Each function takes the span of the slice that the scanner was created for.
@usableFromInline
package struct DERScanner: Sendable {
    /// The index in the caller's input of the first byte of the span, for error offsets.
    @usableFromInline let base: Int
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    /// One DER encoding, by positions.
    package struct Element: Sendable {
        package let tag: ASN1Tag
        let start: Int
        /// A scanner for the contents octets.
        package let contents: DERScanner

        /// The index of the identifier octets in the caller's input.
        package var offset: Int { contents.base + start }
        /// The indices of identifier, length and contents octets.
        package var indices: Range<Int> { offset..<contents.indices.upperBound }
    }

    @inlinable
    init(base: Int, position: Int, end: Int) {
        self.base = base
        self.position = position
        self.end = end
    }

    /// A scanner for all of an input.
    @inlinable
    package init(_ bytes: ArraySlice<UInt8>) {
        self.init(base: bytes.startIndex, position: 0, end: bytes.count)
    }

    /// The index of the next byte in the caller's input.
    package var offset: Int { base + position }
    /// The indices of the bytes that are left.
    package var indices: Range<Int> { offset..<base + end }
    /// How many bytes are left.
    package var count: Int { end - position }
    @inlinable package var isAtEnd: Bool { position == end }

    /// Throws if bytes are left.
    package func finish() throws(DecodeError) {
        guard isAtEnd else {
            throw DecodeError(.trailingBytes, at: offset, "\(count) bytes follow where nothing is allowed")
        }
    }

    /// Reads the next encoding, whatever its tag.
    package mutating func read(in bytes: Span<UInt8>) throws(DecodeError) -> Element {
        var cursor = self
        let tag = try cursor.readTag(in: bytes)
        return try readElement(tag, from: cursor.position, in: bytes)
    }

    /// Reads the next encoding, which must have the given tag.
    package mutating func read(_ tag: ASN1Tag, in bytes: Span<UInt8>) throws(DecodeError) -> Element {
        try readElement(tag, from: endOfTag(tag, in: bytes), in: bytes)
    }

    /// Reads the next encoding, which must have the given tag, and returns its contents.
    package mutating func readContents(_ tag: ASN1Tag, in bytes: Span<UInt8>) throws(DecodeError) -> DERScanner {
        let contents = try contents(tag, from: endOfTag(tag, in: bytes), in: bytes)
        position = contents.end
        return contents
    }

    /// The contents of the only encoding, which must have the given tag.
    package func only(_ tag: ASN1Tag, in bytes: Span<UInt8>) throws(DecodeError) -> DERScanner {
        var cursor = self
        let contents = try cursor.readContents(tag, in: bytes)
        try cursor.finish()
        return contents
    }

    /// Reads the next encoding if it has the given tag.
    package mutating func readIfPresent(_ tag: ASN1Tag, in bytes: Span<UInt8>) throws(DecodeError) -> Element? {
        guard !isAtEnd else { return nil }
        if bytes[position] == tag.identifier { return try readElement(tag, from: position + 1, in: bytes) }
        var cursor = self
        guard try cursor.readTag(in: bytes) == tag else { return nil }
        return try readElement(tag, from: cursor.position, in: bytes)
    }

    /// Where the tag of the next encoding ends, which must be the given one.
    @inline(__always)
    private func endOfTag(_ tag: ASN1Tag, in bytes: Span<UInt8>) throws(DecodeError) -> Int {
        // Nearly all tags take one byte.
        if position < end, bytes[position] == tag.identifier { return position + 1 }
        return try endOfLongTag(tag, in: bytes)
    }

    @inline(never)
    private func endOfLongTag(_ tag: ASN1Tag, in bytes: Span<UInt8>) throws(DecodeError) -> Int {
        guard !isAtEnd else { throw DecodeError(.truncated, at: offset, "expected \(tag), found the end") }
        var cursor = self
        let found = try cursor.readTag(in: bytes)
        guard found == tag else { throw DecodeError(.unexpectedType, at: offset, "expected \(tag), found \(found)") }
        return cursor.position
    }

    /// Reads length and contents. The length begins at `lengthStart`.
    @inline(__always)
    private mutating func readElement(
        _ tag: ASN1Tag, from lengthStart: Int, in bytes: Span<UInt8>
    ) throws(DecodeError) -> Element {
        let element = Element(
            tag: tag, start: position, contents: try contents(tag, from: lengthStart, in: bytes))
        position = element.contents.end
        return element
    }

    /// The contents whose length begins at `lengthStart`.
    @inline(__always)
    private func contents(
        _ tag: ASN1Tag, from lengthStart: Int, in bytes: Span<UInt8>
    ) throws(DecodeError) -> DERScanner {
        // Most lengths take one byte.
        if lengthStart < end, bytes[lengthStart] < 0x80 {
            let start = lengthStart + 1
            let length = Int(bytes[lengthStart])
            if length <= end - start { return DERScanner(base: base, position: start, end: start + length) }
        }
        return try longContents(tag, from: lengthStart, in: bytes)
    }

    @inline(never)
    private func longContents(
        _ tag: ASN1Tag, from lengthStart: Int, in bytes: Span<UInt8>
    ) throws(DecodeError) -> DERScanner {
        var cursor = DERScanner(base: base, position: lengthStart, end: end)
        let length = try cursor.readLength(in: bytes)
        guard length <= cursor.count else {
            throw DecodeError(
                .truncated, at: cursor.offset, "\(tag) claims \(length) bytes, \(cursor.count) are left")
        }
        return DERScanner(base: base, position: cursor.position, end: cursor.position + length)
    }

    /// Reads a tag.
    /// - Parameter allowingChunks: whether an OCTET STRING may be constructed, as in BER.
    mutating func readTag(in bytes: Span<UInt8>, allowingChunks: Bool = false) throws(DecodeError) -> ASN1Tag {
        let start = offset
        guard !isAtEnd else { throw DecodeError(.truncated, at: start, "expected a tag, found the end") }
        let first = bytes[position]
        position += 1
        let tagClass = ASN1Tag.Class(identifier: first)
        let isConstructed = first & 0x20 != 0
        var number = UInt32(first & 0x1F)
        if number == 0x1F {
            number = try readHighTagNumber(in: bytes, start: start)
        } else if tagClass == .universal, number == 0 {
            throw DecodeError(.malformed, at: start, "tag 0 of the universal class is reserved for indefinite lengths")
        }
        let isChunked = allowingChunks && number == 4 && isConstructed
        let isOfParts = number == 16 || number == 17 || number == 8 || number == 11
        if tagClass == .universal, !isChunked, isConstructed != isOfParts {
            throw DecodeError(
                .unexpectedType, at: start,
                "universal tag \(number) must be \(isConstructed ? "primitive" : "constructed") in DER")
        }
        return ASN1Tag(tagClass, number, constructed: isConstructed)
    }

    private mutating func readHighTagNumber(in bytes: Span<UInt8>, start: Int) throws(DecodeError) -> UInt32 {
        var number: UInt32 = 0
        while true {
            guard !isAtEnd else { throw DecodeError(.truncated, at: offset, "the tag number does not end") }
            let byte = bytes[position]
            position += 1
            if number == 0, byte == 0x80 {
                throw DecodeError(.notMinimal, at: start, "the tag number has leading zeros")
            }
            guard number <= UInt32(Int32.max) >> 7 else {
                throw DecodeError(.tooLarge, at: start, "the tag number has more than 31 bits")
            }
            number = number << 7 | UInt32(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        guard number >= 0x1F else {
            throw DecodeError(.notMinimal, at: start, "tag number \(number) takes one byte, found more")
        }
        return number
    }

    /// Reads a length.
    mutating func readLength(in bytes: Span<UInt8>) throws(DecodeError) -> Int {
        let start = offset
        guard !isAtEnd else { throw DecodeError(.truncated, at: start, "expected a length, found the end") }
        let first = bytes[position]
        position += 1
        if first < 0x80 { return Int(first) }
        if first == 0x80 {
            throw DecodeError(.indefiniteLength, at: start, "indefinite lengths are not allowed in DER")
        }
        let size = Int(first & 0x7F)
        guard size <= 4 else {
            throw DecodeError(.tooLarge, at: start, "the length takes \(size) bytes, at most 4 are allowed")
        }
        guard size <= count else { throw DecodeError(.truncated, at: base + end, "the length does not end") }
        var length = 0
        for index in position..<position + size { length = length << 8 | Int(bytes[index]) }
        position += size
        guard length >= 0x80, length >> ((size - 1) * 8) != 0 else {
            throw DecodeError(.notMinimal, at: start, "length \(length) takes fewer bytes than \(size + 1)")
        }
        return length
    }
}
