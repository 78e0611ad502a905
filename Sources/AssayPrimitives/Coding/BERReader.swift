/// One BER encoding: its tag, its contents, and all of its bytes.
package struct BERElement: Sendable {
    /// The maximum number of chunks of an OCTET STRING. Apple's receipts have at most five, of 1000 bytes each.
    static let chunks = 1024

    package let tag: ASN1Tag
    /// The contents octets, without the end-of-contents octets. Indices are those of the input.
    package let contents: ArraySlice<UInt8>
    /// Identifier, length and contents octets, and any end-of-contents octets.
    package let bytes: ArraySlice<UInt8>
    fileprivate let depth: Int

    /// A reader for the contents of a constructed element.
    package var reader: BERReader { BERReader(contents, depth: depth + 1) }

    /// The element as DER. Checks only its own tag and length; the inner elements are checked when read.
    package func der() throws(DecodeError) -> DERElement { try DERReader.single(tag, in: bytes) }

    /// An OCTET STRING; joins its chunks if it is constructed (X.690 section 8.7.3).
    package func octetString() throws(DecodeError) -> [UInt8] {
        if tag == .octetString { return Array(contents) }
        guard tag == .chunkedOctetString else {
            throw DecodeError(.unexpectedType, at: bytes.startIndex, "expected OCTET STRING, found \(tag)")
        }
        var whole: [UInt8] = []
        var count = 0
        var open = [reader]
        while let last = open.indices.last {
            if open[last].isAtEnd {
                open.removeLast()
                continue
            }
            let chunk = try open[last].read()
            count += 1
            guard count <= BERElement.chunks else {
                throw DecodeError(
                    .tooLarge, at: chunk.bytes.startIndex, "more than \(BERElement.chunks) chunks of an OCTET STRING")
            }
            switch chunk.tag {
            case .octetString: whole += chunk.contents
            case .chunkedOctetString: open.append(chunk.reader)
            default:
                throw DecodeError(
                    .unexpectedType, at: chunk.bytes.startIndex,
                    "expected a chunk of an OCTET STRING, found \(chunk.tag)")
            }
        }
        return whole
    }
}

extension ASN1Tag {
    fileprivate static let chunkedOctetString = ASN1Tag(.universal, 4, constructed: true)
}

/// Reads the subset of BER (X.690 section 8) that CMS messages use: DER, and also constructed elements of indefinite
/// length and OCTET STRINGs in chunks, which Apple's receipts have. Lengths must be in their shortest form. Nesting up
/// to ``InputLimits/nestingDepth`` bounds how often the search for an element's end scans each byte.
package struct BERReader: Sendable {
    private var rest: ArraySlice<UInt8>
    private let depth: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.init(bytes, depth: 0)
    }

    package init(_ bytes: [UInt8]) {
        self.init(bytes[...], depth: 0)
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>, depth: Int) {
        rest = bytes
        self.depth = depth
    }

    /// Reads the only encoding in `bytes`, which must have the given tag.
    package static func single(_ tag: ASN1Tag, in bytes: ArraySlice<UInt8>) throws(DecodeError) -> BERElement {
        var reader = BERReader(bytes)
        let element = try reader.read(tag)
        try reader.finish()
        return element
    }

    /// The index of the next encoding.
    package var offset: Int { rest.startIndex }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Throws if bytes are left.
    package func finish() throws(DecodeError) {
        guard rest.isEmpty else {
            throw DecodeError(.trailingBytes, at: offset, "\(rest.count) bytes follow where nothing is allowed")
        }
    }

    /// The tag of the next encoding, and nil at the end.
    package func peekTag() throws(DecodeError) -> ASN1Tag? {
        guard !rest.isEmpty else { return nil }
        var position = rest.startIndex
        return try DERReader.readTag(rest, at: &position, allowingChunks: true)
    }

    /// Reads the next encoding, whatever its tag.
    package mutating func read() throws(DecodeError) -> BERElement {
        guard depth < InputLimits.nestingDepth else { throw BERReader.tooDeep(at: offset) }
        var position = rest.startIndex
        let tag = try DERReader.readTag(rest, at: &position, allowingChunks: true)
        let contents: ArraySlice<UInt8>
        let end: Int
        if try BERReader.skipIndefiniteLength(rest, at: &position, tag) {
            contents = rest[position..<(try BERReader.endOfContents(rest, from: position, depth: depth))]
            end = contents.endIndex + 2
        } else {
            contents = rest[try BERReader.readContents(rest, at: &position, tag)]
            end = position
        }
        let element = BERElement(tag: tag, contents: contents, bytes: rest[..<end], depth: depth)
        rest = rest[end...]
        return element
    }

    /// Reads the next encoding, which must have this tag. Use ``readOctetString()`` if an OCTET STRING may have chunks.
    package mutating func read(_ tag: ASN1Tag) throws(DecodeError) -> BERElement {
        guard let found = try peekTag() else {
            throw DecodeError(.truncated, at: offset, "expected \(tag), found the end")
        }
        guard found == tag else { throw DecodeError(.unexpectedType, at: offset, "expected \(tag), found \(found)") }
        return try read()
    }

    /// Reads the next encoding if it has the given tag.
    package mutating func readIfPresent(_ tag: ASN1Tag) throws(DecodeError) -> BERElement? {
        guard try peekTag() == tag else { return nil }
        return try read()
    }

    /// Reads a constructed element, and returns a reader for its contents.
    package mutating func readConstructed(_ tag: ASN1Tag) throws(DecodeError) -> BERReader {
        try read(tag).reader
    }

    /// Reads an OCTET STRING, whole or in chunks.
    package mutating func readOctetString() throws(DecodeError) -> [UInt8] {
        try read().octetString()
    }

    /// The index of the end-of-contents octets of an element of indefinite length.
    private static func endOfContents(
        _ bytes: ArraySlice<UInt8>, from contentsStart: Int, depth: Int
    ) throws(DecodeError) -> Int {
        var position = contentsStart
        var open = 1
        while true {
            let start = position
            if start < bytes.endIndex, bytes[start] == 0x00 {
                guard start + 1 < bytes.endIndex, bytes[start + 1] == 0x00 else {
                    throw DecodeError(.malformed, at: start, "expected the end-of-contents octets 00 00")
                }
                open -= 1
                if open == 0 { return start }
                position += 2
                continue
            }
            let tag = try DERReader.readTag(bytes, at: &position, allowingChunks: true)
            if try skipIndefiniteLength(bytes, at: &position, tag) {
                open += 1
                guard depth + open <= InputLimits.nestingDepth else { throw tooDeep(at: start) }
            } else {
                _ = try readContents(bytes, at: &position, tag)
            }
        }
    }

    private static func skipIndefiniteLength(
        _ bytes: ArraySlice<UInt8>, at position: inout Int, _ tag: ASN1Tag
    ) throws(DecodeError) -> Bool {
        guard position < bytes.endIndex, bytes[position] == 0x80 else { return false }
        guard tag.isConstructed else {
            throw DecodeError(.indefiniteLength, at: position, "\(tag) has no indefinite length")
        }
        position += 1
        return true
    }

    /// Reads a definite length, skips the contents, and returns their range.
    private static func readContents(
        _ bytes: ArraySlice<UInt8>, at position: inout Int, _ tag: ASN1Tag
    ) throws(DecodeError) -> Range<Int> {
        let length = try DERReader.readLength(bytes, at: &position)
        let left = bytes.endIndex - position
        guard length <= left else {
            throw DecodeError(.truncated, at: position, "\(tag) claims \(length) bytes, \(left) are left")
        }
        let contents = position..<position + length
        position = contents.upperBound
        return contents
    }

    private static func tooDeep(at position: Int) -> DecodeError {
        DecodeError(.tooDeep, at: position, "elements nest deeper than \(InputLimits.nestingDepth)")
    }
}
