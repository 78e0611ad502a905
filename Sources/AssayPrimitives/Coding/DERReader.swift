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

    /// A scanner for the contents, in the span of ``bytes``.
    var scanner: DERScanner {
        DERScanner(base: bytes.startIndex, position: contentsStart - bytes.startIndex, end: bytes.count)
    }
}

/// Reads DER (X.690 section 10) strictly, without copying: definite lengths and tag numbers in their shortest form,
/// primitive strings only. It does not recurse: the caller reads the contents of an element with ``DERElement/reader``.
@usableFromInline
package struct DERReader: Sendable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var scanner: DERScanner

    @inlinable
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        scanner = DERScanner(bytes)
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
        bytes[try DERScanner(bytes).only(tag, in: bytes.span).indices]
    }

    /// The index of the next encoding.
    package var offset: Int { scanner.offset }

    @inlinable package var isAtEnd: Bool { scanner.isAtEnd }

    /// Throws if bytes are left.
    package func finish() throws(DecodeError) { try scanner.finish() }

    /// The tag of the next encoding, or nil at the end.
    package func peekTag() throws(DecodeError) -> ASN1Tag? {
        guard !isAtEnd else { return nil }
        var cursor = scanner
        return try cursor.readTag(in: bytes.span)
    }

    /// Reads the next encoding, whatever its tag.
    package mutating func read() throws(DecodeError) -> DERElement {
        var cursor = scanner
        let found = try cursor.read(in: bytes.span)
        scanner = cursor
        return DERReader.element(found, of: bytes)
    }

    /// Reads the next encoding, which must have the given tag.
    package mutating func read(_ tag: ASN1Tag) throws(DecodeError) -> DERElement {
        var cursor = scanner
        let found = try cursor.read(tag, in: bytes.span)
        scanner = cursor
        return DERReader.element(found, of: bytes)
    }

    /// Reads the next encoding, which must have the given tag, and returns its contents.
    package mutating func readContents(_ tag: ASN1Tag) throws(DecodeError) -> ArraySlice<UInt8> {
        var cursor = scanner
        let contents = try cursor.readContents(tag, in: bytes.span)
        scanner = cursor
        return bytes[contents.indices]
    }

    /// Reads an OBJECT IDENTIFIER, as ``ObjectIdentifier/init(_:)`` does.
    mutating func readObjectIdentifier() throws(DecodeError) -> ObjectIdentifier {
        try ObjectIdentifier(contents: readContents(.objectIdentifier))
    }

    /// Reads the next encoding if it has the given tag.
    package mutating func readIfPresent(_ tag: ASN1Tag) throws(DecodeError) -> DERElement? {
        var cursor = scanner
        guard let found = try cursor.readIfPresent(tag, in: bytes.span) else { return nil }
        scanner = cursor
        return DERReader.element(found, of: bytes)
    }

    /// Reads a constructed element, and returns a reader for its contents.
    package mutating func readConstructed(_ tag: ASN1Tag) throws(DecodeError) -> DERReader {
        DERReader(try readContents(tag))
    }

    /// The element that a scanner of `bytes` found.
    static func element(_ found: DERScanner.Element, of bytes: ArraySlice<UInt8>) -> DERElement {
        DERElement(tag: found.tag, bytes: bytes[found.indices], contentsStart: found.contents.offset)
    }

    /// Reads a tag at `position`, and advances `position` past it.
    /// - Parameter allowingChunks: whether an OCTET STRING may be constructed, as in BER.
    static func readTag(
        _ bytes: ArraySlice<UInt8>, at position: inout Int, allowingChunks: Bool = false
    ) throws(DecodeError) -> ASN1Tag {
        var cursor = DERScanner(bytes)
        cursor.position = position - bytes.startIndex
        let tag = try cursor.readTag(in: bytes.span, allowingChunks: allowingChunks)
        position = cursor.offset
        return tag
    }

    /// Reads a length at `position`, and advances `position` past it.
    static func readLength(_ bytes: ArraySlice<UInt8>, at position: inout Int) throws(DecodeError) -> Int {
        var cursor = DERScanner(bytes)
        cursor.position = position - bytes.startIndex
        let length = try cursor.readLength(in: bytes.span)
        position = cursor.offset
        return length
    }
}
