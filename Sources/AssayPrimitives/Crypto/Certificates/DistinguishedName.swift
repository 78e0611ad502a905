/// A syntactically checked X.501 Name (RFC 5280 section 4.1.2.4), stored as DER.
struct DistinguishedName: Sendable {
    /// The DER encoding.
    let bytes: ArraySlice<UInt8>
    /// Whether it has no RDNs.
    let isEmpty: Bool

    /// Checks a Name that a scanner of `input` found: RDNs are not empty, and texts are in the alphabet of their type.
    init(_ element: DERScanner.Element, of input: ArraySlice<UInt8>) throws(DecodeError) {
        bytes = input[element.indices]
        isEmpty = element.contents.isAtEnd
        try DistinguishedName.forEachAttribute(of: element.contents, in: input.span) { _, value throws(DecodeError) in
            // Printable characters are allowed in all three types. Other texts are composed to check them.
            switch (value.tag.tagClass, value.tag.number) {
            case (.universal, 12), (.universal, 19), (.universal, 22):
                if value.contents.isPrintable(in: input.span) { return true }
            default: break
            }
            _ = try DistinguishedName.text(of: DERReader.element(value, of: input))
            return true
        }
    }

    /// The first common name.
    var commonName: String? {
        var found: String?
        visit(DistinguishedName.commonName) { _, text in
            found = text
            return false
        }
        return found.map(DistinguishedName.readable)
    }

    /// The texts of the attributes of one type.
    func texts(_ type: ObjectIdentifier) -> [String] {
        var found: [String] = []
        visit(type) { _, text in
            found.append(text)
            return true
        }
        return found
    }

    /// Up to eight attributes for display, in the encoded order.
    var description: String {
        var parts: [String] = []
        visit { oid, text in
            let name = DistinguishedName.names[oid] ?? oid.description
            parts.append("\(name)=\(DistinguishedName.readable(text))")
            return parts.count < 8
        }
        return parts.isEmpty ? "(no name)" : parts.joined(separator: ", ")
    }

    /// Calls `body` with each attribute, or with each of one type, until it returns false.
    private func visit(_ type: ObjectIdentifier? = nil, _ body: (ObjectIdentifier, String) -> Bool) {
        // The initialiser checked the bytes, so nothing throws here.
        guard let contents = try? DERScanner(bytes).only(.sequence, in: bytes.span) else { return }
        try? DistinguishedName.forEachAttribute(of: contents, in: bytes.span) { oid, value throws(DecodeError) in
            let oid = bytes[oid.indices]
            if let type, !oid.isByteEqual(to: type.contents) { return true }
            return try body(
                ObjectIdentifier(contents: oid), DistinguishedName.text(of: DERReader.element(value, of: bytes)))
        }
    }

    /// Calls `body` with type and value of each attribute until it returns false.
    private static func forEachAttribute(
        of scanner: DERScanner, in bytes: Span<UInt8>,
        _ body: (DERScanner, DERScanner.Element) throws(DecodeError) -> Bool
    ) throws(DecodeError) {
        var reader = scanner
        while !reader.isAtEnd {
            let set = try reader.read(.set, in: bytes)
            guard !set.contents.isAtEnd else {
                throw DecodeError(.malformed, at: set.offset, "a RelativeDistinguishedName is not empty")
            }
            var attributes = set.contents
            while !attributes.isAtEnd {
                var attribute = try attributes.readContents(.sequence, in: bytes)
                let oid = try attribute.readContents(.objectIdentifier, in: bytes)
                try oid.requireObjectIdentifier(in: bytes)
                let value = try attribute.read(in: bytes)
                try attribute.finish()
                guard try body(oid, value) else { return }
            }
        }
    }

    /// The text of an attribute of any string type; BIT STRING and NumericString as hexadecimal digits. Rejects other
    /// types, which RFC 5280 appendix A.1 allows but never uses: OpenSSL cannot read all of them, so the result for a
    /// path would depend on whether its issuers are cached.
    private static func text(of value: DERElement) throws(DecodeError) -> String {
        guard value.tag.tagClass == .universal else {
            throw DecodeError(
                .unexpectedType, at: value.bytes.startIndex, "an attribute is a string, found \(value.tag)")
        }
        switch value.tag.number {
        case 12, 19, 22:
            return try value.text()
        case 20:
            // TeletexString: in practice ISO 8859-1.
            return String(String.UnicodeScalarView(value.contents.map { Unicode.Scalar($0) }))
        case 28, 30:
            return try wideText(of: value, width: value.tag.number == 28 ? 4 : 2)
        case 3:
            // BIT STRING: x500UniqueIdentifier.
            _ = try value.bitString()
            return hexadecimal(value.bytes)
        case 18:
            // NumericString.
            return hexadecimal(value.bytes)
        default:
            throw DecodeError(
                .unexpectedType, at: value.bytes.startIndex, "an attribute is a string, found \(value.tag)")
        }
    }

    /// A UniversalString or BMPString.
    private static func wideText(of value: DERElement, width: Int) throws(DecodeError) -> String {
        let invalid = DecodeError(.invalidText, at: value.contents.startIndex, "not text of \(width)-byte characters")
        guard value.contents.count % width == 0 else { throw invalid }
        var scalars = String.UnicodeScalarView()
        var index = value.contents.startIndex
        while index < value.contents.endIndex {
            let code = value.contents[index..<index + width].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard let scalar = Unicode.Scalar(code) else { throw invalid }
            scalars.append(scalar)
            index += width
        }
        return String(scalars)
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        "#" + bytes.prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Truncates a text, and escapes characters that could mislead in a log or on a terminal.
    static func readable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(80) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.dropFirst(80).isEmpty ? result : result + "..."
    }

    private static let commonName = ObjectIdentifier(2, 5, 4, 3)

    private static let names: [ObjectIdentifier: String] = [
        commonName: "CN",
        ObjectIdentifier(2, 5, 4, 5): "serialNumber",
        ObjectIdentifier(2, 5, 4, 6): "C",
        ObjectIdentifier(2, 5, 4, 7): "L",
        ObjectIdentifier(2, 5, 4, 8): "ST",
        ObjectIdentifier(2, 5, 4, 10): "O",
        ObjectIdentifier(2, 5, 4, 11): "OU",
        ObjectIdentifier(2, 5, 4, 12): "title",
    ]
}
