// Small members are inlinable: elsewhere a call copies the whole element, and counts a reference for it.

/// One DER encoding: its tag, its contents, and all of its bytes.
@usableFromInline
package struct DERElement: Sendable {
    @usableFromInline package let tag: ASN1Tag
    /// Identifier, length and contents octets.
    @usableFromInline package let bytes: ArraySlice<UInt8>
    /// The index of the first contents octet. Stored instead of a second slice, which would count another reference.
    @usableFromInline let contentsStart: Int

    /// The contents octets. Indices are those of the input and serve as error offsets.
    @inlinable package var contents: ArraySlice<UInt8> { bytes[contentsStart...] }

    /// A reader for the contents of a constructed element.
    @inlinable package var reader: DERReader { DERReader(contents) }
}

/// Reads DER (X.690 section 10) strictly, without copying: definite lengths and tag numbers in their shortest form,
/// primitive strings only. It does not recurse: the caller reads the contents of an element with ``DERElement/reader``.
@usableFromInline
package struct DERReader: Sendable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var position: Int

    @inlinable
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Reads the only encoding in `bytes`, which must have the given tag.
    package static func single(_ tag: ASN1Tag, in bytes: ArraySlice<UInt8>) throws(DecodeError) -> DERElement {
        var reader = DERReader(bytes)
        let element = try reader.read(tag)
        try reader.finish()
        return element
    }

    /// The contents of the only encoding in `bytes`, which must have the given tag. Costs less than an element where
    /// nothing else of it is used.
    package static func contents(
        of tag: ASN1Tag, in bytes: ArraySlice<UInt8>
    ) throws(DecodeError) -> ArraySlice<UInt8> {
        var reader = DERReader(bytes)
        let contents = try reader.readContents(tag)
        try reader.finish()
        return contents
    }

    /// The index of the next encoding.
    package var offset: Int { position }

    @inlinable package var isAtEnd: Bool { position == bytes.endIndex }

    /// Throws if bytes are left.
    package func finish() throws(DecodeError) {
        guard isAtEnd else {
            let count = bytes.endIndex - position
            throw DecodeError(.trailingBytes, at: offset, "\(count) bytes follow where nothing is allowed")
        }
    }

    /// The tag of the next encoding, or nil at the end.
    package func peekTag() throws(DecodeError) -> ASN1Tag? {
        guard !isAtEnd else { return nil }
        var cursor = position
        return try DERReader.readTag(bytes, at: &cursor)
    }

    /// Reads the next encoding, whatever its tag.
    package mutating func read() throws(DecodeError) -> DERElement {
        var cursor = position
        let tag = try DERReader.readTag(bytes, at: &cursor)
        return try readElement(tag, from: cursor)
    }

    /// Reads the next encoding, which must have the given tag.
    package mutating func read(_ tag: ASN1Tag) throws(DecodeError) -> DERElement {
        try readElement(tag, from: endOfTag(tag))
    }

    /// Reads the next encoding, which must have the given tag, and returns its contents.
    package mutating func readContents(_ tag: ASN1Tag) throws(DecodeError) -> ArraySlice<UInt8> {
        let (start, end) = try boundsOfContents(tag, from: endOfTag(tag))
        position = end
        return bytes[start..<end]
    }

    /// Reads an OBJECT IDENTIFIER, as ``ObjectIdentifier/init(_:)`` does.
    mutating func readObjectIdentifier() throws(DecodeError) -> ObjectIdentifier {
        try ObjectIdentifier(contents: readContents(.objectIdentifier))
    }

    /// Where the tag of the next encoding ends, which must be the given one.
    private func endOfTag(_ tag: ASN1Tag) throws(DecodeError) -> Int {
        // Nearly all tags take one byte.
        if position < bytes.endIndex, bytes[position] == tag.identifier { return position + 1 }
        guard !isAtEnd else { throw DecodeError(.truncated, at: offset, "expected \(tag), found the end") }
        var cursor = position
        let found = try DERReader.readTag(bytes, at: &cursor)
        guard found == tag else { throw DecodeError(.unexpectedType, at: offset, "expected \(tag), found \(found)") }
        return cursor
    }

    /// Reads the next encoding if it has the given tag.
    package mutating func readIfPresent(_ tag: ASN1Tag) throws(DecodeError) -> DERElement? {
        guard !isAtEnd else { return nil }
        if bytes[position] == tag.identifier { return try readElement(tag, from: position + 1) }
        var cursor = position
        guard try DERReader.readTag(bytes, at: &cursor) == tag else { return nil }
        return try readElement(tag, from: cursor)
    }

    /// Reads a constructed element, and returns a reader for its contents.
    package mutating func readConstructed(_ tag: ASN1Tag) throws(DecodeError) -> DERReader {
        DERReader(try readContents(tag))
    }

    /// Reads length and contents. The length begins at `lengthStart`.
    private mutating func readElement(_ tag: ASN1Tag, from lengthStart: Int) throws(DecodeError) -> DERElement {
        let (start, end) = try boundsOfContents(tag, from: lengthStart)
        let element = DERElement(tag: tag, bytes: bytes[position..<end], contentsStart: start)
        position = end
        return element
    }

    /// Where the contents begin and end whose length begins at `lengthStart`.
    private func boundsOfContents(
        _ tag: ASN1Tag, from lengthStart: Int
    ) throws(DecodeError) -> (start: Int, end: Int) {
        var cursor = lengthStart
        let length: Int
        if cursor < bytes.endIndex, bytes[cursor] < 0x80 {
            length = Int(bytes[cursor])
            cursor += 1
        } else {
            length = try DERReader.readLength(bytes, at: &cursor)
        }
        let left = bytes.endIndex - cursor
        guard length <= left else {
            throw DecodeError(.truncated, at: cursor, "\(tag) claims \(length) bytes, \(left) are left")
        }
        return (cursor, cursor + length)
    }

    // Hot path: positions instead of slices, which count references.

    /// Reads a tag at `position`, and advances `position` past it.
    /// - Parameter allowingChunks: whether an OCTET STRING may be constructed, as in BER.
    static func readTag(
        _ bytes: ArraySlice<UInt8>, at position: inout Int, allowingChunks: Bool = false
    ) throws(DecodeError) -> ASN1Tag {
        let start = position
        guard start < bytes.endIndex else { throw DecodeError(.truncated, at: start, "expected a tag, found the end") }
        let first = bytes[start]
        position += 1
        let tagClass = ASN1Tag.Class(identifier: first)
        let isConstructed = first & 0x20 != 0
        var number = UInt32(first & 0x1F)
        if number == 0x1F {
            number = try readHighTagNumber(bytes, at: &position, start: start)
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

    private static func readHighTagNumber(
        _ bytes: ArraySlice<UInt8>, at position: inout Int, start: Int
    ) throws(DecodeError) -> UInt32 {
        var number: UInt32 = 0
        while true {
            guard position < bytes.endIndex else {
                throw DecodeError(.truncated, at: position, "the tag number does not end")
            }
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

    /// Reads a length at `position`, and advances `position` past it.
    static func readLength(_ bytes: ArraySlice<UInt8>, at position: inout Int) throws(DecodeError) -> Int {
        let start = position
        guard start < bytes.endIndex else {
            throw DecodeError(.truncated, at: start, "expected a length, found the end")
        }
        let first = bytes[start]
        position += 1
        if first < 0x80 { return Int(first) }
        if first == 0x80 {
            throw DecodeError(.indefiniteLength, at: start, "indefinite lengths are not allowed in DER")
        }
        let count = Int(first & 0x7F)
        guard count <= 4 else {
            throw DecodeError(.tooLarge, at: start, "the length takes \(count) bytes, at most 4 are allowed")
        }
        guard count <= bytes.endIndex - position else {
            throw DecodeError(.truncated, at: bytes.endIndex, "the length does not end")
        }
        var length = 0
        for index in position..<position + count { length = length << 8 | Int(bytes[index]) }
        position += count
        guard length >= 0x80, length >> ((count - 1) * 8) != 0 else {
            throw DecodeError(.notMinimal, at: start, "length \(length) takes fewer bytes than \(count + 1)")
        }
        return length
    }
}
