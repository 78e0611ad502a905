public import AssayCore

/// One encoding: its tag, its contents, and all of its bytes.
public struct DERElement: Sendable {
    /// The tag.
    public let tag: ASN1Tag
    /// The contents octets. Indices are those of the input, so they serve as offsets in errors.
    public let contents: ArraySlice<UInt8>
    /// Identifier, length and contents octets.
    public let bytes: ArraySlice<UInt8>

    /// A reader of the encodings inside a constructed element.
    public var reader: DERReader { DERReader(contents) }
}

/// Reads DER, X.690 section 10, one encoding after the other.
///
/// Strict: definite lengths in their shortest form, tag numbers in their shortest form, primitive strings only. There is
/// no recursion: whoever wants what is inside an element asks for ``DERElement/reader``. Nothing is copied.
public struct DERReader: Sendable {
    private var rest: ArraySlice<UInt8>

    /// Reads the encodings that follow each other in some bytes.
    public init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Reads the encodings that follow each other in some bytes.
    public init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// The one encoding that some bytes consist of.
    public static func single(_ tag: ASN1Tag, in bytes: ArraySlice<UInt8>) throws(DecodeError) -> DERElement {
        var reader = DERReader(bytes)
        let element = try reader.read(tag)
        try reader.finish()
        return element
    }

    /// Where the next encoding begins.
    public var offset: Int { rest.startIndex }

    /// Whether nothing is left.
    public var isAtEnd: Bool { rest.isEmpty }

    /// Demands that nothing is left.
    public func finish() throws(DecodeError) {
        guard rest.isEmpty else {
            throw DecodeError(.trailingBytes, at: offset, "\(rest.count) bytes follow where nothing is allowed")
        }
    }

    /// The tag of the next encoding, and nil at the end.
    public func peekTag() throws(DecodeError) -> ASN1Tag? {
        guard !rest.isEmpty else { return nil }
        var copy = rest
        return try DERReader.readTag(&copy)
    }

    /// Reads the next encoding, whatever its tag.
    public mutating func read() throws(DecodeError) -> DERElement {
        var cursor = rest
        let tag = try DERReader.readTag(&cursor)
        let length = try DERReader.readLength(&cursor)
        guard length <= cursor.count else {
            throw DecodeError(
                .truncated, at: cursor.startIndex, "\(tag) claims \(length) bytes, \(cursor.count) are left")
        }
        let contents = cursor.prefix(length)
        let element = DERElement(tag: tag, contents: contents, bytes: rest[rest.startIndex..<contents.endIndex])
        rest = rest[contents.endIndex...]
        return element
    }

    /// Reads the next encoding, which must have a given tag.
    public mutating func read(_ tag: ASN1Tag) throws(DecodeError) -> DERElement {
        guard let found = try peekTag() else {
            throw DecodeError(.truncated, at: offset, "expected \(tag), found the end")
        }
        guard found == tag else { throw DecodeError(.unexpectedType, at: offset, "expected \(tag), found \(found)") }
        return try read()
    }

    /// Reads the next encoding if it has a given tag.
    public mutating func readIfPresent(_ tag: ASN1Tag) throws(DecodeError) -> DERElement? {
        guard try peekTag() == tag else { return nil }
        return try read()
    }

    /// Reads a constructed element, and a reader of what is inside.
    public mutating func readConstructed(_ tag: ASN1Tag) throws(DecodeError) -> DERReader {
        try read(tag).reader
    }

    /// - Parameter allowingChunks: whether an OCTET STRING may be constructed, as in BER.
    static func readTag(
        _ cursor: inout ArraySlice<UInt8>, allowingChunks: Bool = false
    ) throws(DecodeError) -> ASN1Tag {
        let start = cursor.startIndex
        guard let first = cursor.popFirst(), let tagClass = ASN1Tag.Class(rawValue: first & 0xC0) else {
            throw DecodeError(.truncated, at: start, "expected a tag, found the end")
        }
        let isConstructed = first & 0x20 != 0
        var number = UInt32(first & 0x1F)
        if number == 0x1F {
            number = try readHighTagNumber(&cursor, start: start)
        } else if tagClass == .universal, number == 0 {
            throw DecodeError(.malformed, at: start, "tag 0 of the universal class is reserved for indefinite lengths")
        }
        let isChunked = allowingChunks && number == 4 && isConstructed
        if tagClass == .universal, !isChunked, isConstructed != [8, 11, 16, 17].contains(number) {
            throw DecodeError(
                .unexpectedType, at: start,
                "universal tag \(number) must be \(isConstructed ? "primitive" : "constructed") in DER")
        }
        return ASN1Tag(tagClass, number, constructed: isConstructed)
    }

    private static func readHighTagNumber(
        _ cursor: inout ArraySlice<UInt8>, start: Int
    ) throws(DecodeError) -> UInt32 {
        var number: UInt32 = 0
        while true {
            guard let byte = cursor.popFirst() else {
                throw DecodeError(.truncated, at: cursor.startIndex, "the tag number does not end")
            }
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

    static func readLength(_ cursor: inout ArraySlice<UInt8>) throws(DecodeError) -> Int {
        let start = cursor.startIndex
        guard let first = cursor.popFirst() else {
            throw DecodeError(.truncated, at: start, "expected a length, found the end")
        }
        if first < 0x80 { return Int(first) }
        if first == 0x80 {
            throw DecodeError(.indefiniteLength, at: start, "indefinite lengths are not allowed in DER")
        }
        let count = Int(first & 0x7F)
        guard count <= 4 else {
            throw DecodeError(.tooLarge, at: start, "the length takes \(count) bytes, at most 4 are allowed")
        }
        guard count <= cursor.count else {
            throw DecodeError(.truncated, at: cursor.endIndex, "the length does not end")
        }
        var length = 0
        for byte in cursor.prefix(count) { length = length << 8 | Int(byte) }
        cursor = cursor.dropFirst(count)
        guard length >= 0x80, length >> ((count - 1) * 8) != 0 else {
            throw DecodeError(.notMinimal, at: start, "length \(length) takes fewer bytes than \(count + 1)")
        }
        return length
    }
}
