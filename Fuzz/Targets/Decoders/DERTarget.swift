import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

extension FuzzTarget {
    /// DER encodings: writing gives the same bytes, for elements and for their values.
    static let der = FuzzTarget(
        name: "der", maximumLength: 512, dictionary: ["\u{30}\u{6}", "\u{2}\u{1}", "\u{6}\u{3}", "\u{17}\u{d}"],
        seeds: { try DERReading.seeds() },
        run: { input in
            let read = Reading(input) { (bytes) throws(DecodeError) in try DERReading.elements(bytes, depth: 0) }
            guard let elements = read.value else { return false }
            require(elements.flatMap(\.encoded) == input, "other bytes when written again: \(elements)")
            return true
        })

    /// BER encodings: DER is read as the same elements, and segmented strings are joined.
    static let ber = FuzzTarget(
        name: "ber", maximumLength: 1024, dictionary: ["\u{24}", "\u{30}", "\u{4}\u{2}", "\u{0}\u{0}"],
        seeds: {
            let string = DERBuilder.indefinite(
                0x24, DERBuilder.octetString("ab") + DERBuilder.octetString("c"))
            return try DERReading.seeds() + [
                DERBuilder.indefinite(0x30, string + DERBuilder.indefinite(0xA0, string))
            ]
        },
        run: { input in
            let read = Reading(input) { (bytes) throws(DecodeError) in try BERReading.elements(BERReader(bytes)) }
            if let count = read.value?.count { require(count <= input.count, "more elements than bytes") }
            let strict = try? DERReading.elements(input[...], depth: 0)
            guard let strict, DERReading.depth(of: strict) < InputLimits.nestingDepth else { return read.value != nil }
            guard let loose = read.value else { broken("DER that is no BER: \(strict)") }
            require(loose == DERReading.flat(strict), "DER and BER differ: \(loose), \(strict)")
            return true
        })
}

/// The tree of some DER, with its values checked.
enum DERReading {
    indirect enum Node: Equatable {
        case primitive(ASN1Tag, [UInt8])
        case constructed(ASN1Tag, [Node])

        var encoded: [UInt8] {
            switch self {
            case .primitive(let tag, let contents): Node.encode(tag, contents)
            case .constructed(let tag, let nodes): Node.encode(tag, nodes.flatMap(\.encoded))
            }
        }

        private static func encode(_ tag: ASN1Tag, _ contents: [UInt8]) -> [UInt8] {
            let first = tag.tagClass.rawValue | (tag.isConstructed ? 0x20 : 0)
            if tag.number < 0x1F { return DERBuilder.element(first | UInt8(tag.number), contents) }
            var groups = [UInt8(tag.number & 0x7F)]
            var rest = tag.number >> 7
            while rest > 0 {
                groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            return [first | 0x1F] + groups + DERBuilder.length(contents.count) + contents
        }
    }

    /// How deep this walk goes; the reader itself has no recursion to bound.
    private static let depth = 64

    static func seeds() throws(MintingError) -> [[UInt8]] {
        return [
            DERBuilder.sequence(
                DERBuilder.integer(127), DERBuilder.boolean(true), DERBuilder.null,
                DERBuilder.objectIdentifier([1, 2, 840, 113635, 100, 8, 2]),
                DERBuilder.bitString([0xF0], unusedBits: 4),
                DERBuilder.utf8String("\u{E9}"), DERBuilder.context(0, DERBuilder.octetString("x"))),
            DERBuilder.set(
                DERBuilder.time(MintedSeeds.issuedAt),
                DERBuilder.time(MintedSeeds.issuedAt.addingTimeInterval(100 * 365 * 86_400)),
                DERBuilder.element(0x13, Array("US".utf8)), DERBuilder.element(0x16, Array("a@b".utf8))),
            [0x7F, 0x81, 0x01, 0x00], try MintedSeeds.authority().root.name.encoded, MintedSeeds.subjectPublicKeyInfo,
        ]
    }

    static func elements(_ bytes: ArraySlice<UInt8>, depth: Int) throws(DecodeError) -> [Node] {
        var reader = DERReader(bytes)
        var nodes: [Node] = []
        while !reader.isAtEnd {
            let start = reader.offset
            let element = try reader.read()
            FuzzTarget.require(
                element.bytes.startIndex == start && element.bytes.endIndex == element.contents.endIndex
                    && reader.offset == element.bytes.endIndex, "an element that stands elsewhere: \(element)")
            try checkValues(of: element)
            guard element.tag.isConstructed, depth < Self.depth else {
                nodes.append(.primitive(element.tag, Array(element.contents)))
                continue
            }
            nodes.append(.constructed(element.tag, try elements(element.contents, depth: depth + 1)))
        }
        try reader.finish()
        return nodes
    }

    static func depth(of nodes: [Node]) -> Int {
        1 + (nodes.map { if case .constructed(_, let inner) = $0 { depth(of: inner) } else { 0 } }.max() ?? 0)
    }

    /// Every element with its tag and its encoding, outer elements first.
    static func flat(_ nodes: [Node]) -> [BERReading.Element] {
        nodes.flatMap { node -> [BERReading.Element] in
            switch node {
            case .primitive(let tag, _): [BERReading.Element(tag: tag, bytes: node.encoded)]
            case .constructed(let tag, let inner): [BERReading.Element(tag: tag, bytes: node.encoded)] + flat(inner)
            }
        }
    }

    /// Each value reader refuses the element, or returns the only value with this encoding.
    private static func checkValues(of element: DERElement) throws(DecodeError) {
        if let value = try? element.boolean() {
            FuzzTarget.require(DERBuilder.boolean(value) == Array(element.bytes), "a BOOLEAN \(value): \(element)")
        }
        if let value = try? element.integer(), value >= 0 {
            FuzzTarget.require(
                DERBuilder.integer(UInt64(value)) == Array(element.bytes), "an INTEGER \(value): \(element)")
        }
        if let identifier = try? ObjectIdentifier(element) { checkObjectIdentifier(identifier, element) }
        if let (unused, bytes) = try? element.bitString() {
            FuzzTarget.require(
                DERBuilder.bitString(Array(bytes), unusedBits: UInt8(unused)) == Array(element.bytes),
                "a BIT STRING: \(element)")
        }
        if let time = try? element.time() {
            FuzzTarget.require(isTime(time, element), "a time of \(RFC3339.format(time)): \(element)")
        }
        if let text = try? element.text() {
            FuzzTarget.require(Array(text.utf8) == Array(element.contents), "a text \(text): \(element)")
        }
    }

    private static func checkObjectIdentifier(_ identifier: ObjectIdentifier, _ element: DERElement) {
        let components = identifier.description.split(separator: ".").compactMap { UInt64($0) }
        FuzzTarget.require(
            components.count >= 2 && components[0] <= 2
                && DERBuilder.objectIdentifier(components) == Array(element.bytes),
            "an OBJECT IDENTIFIER \(identifier): \(element)")
    }

    /// Whether the digits of an element's time are those of RFC 3339.
    private static func isTime(_ time: Date, _ element: DERElement) -> Bool {
        let digits = RFC3339.format(time).utf8.filter { (0x30...0x39).contains($0) }
        let expected = Array((element.tag == .utcTime ? digits.dropFirst(2) : digits[...])) + [0x5A]
        return digits.count == 14 && expected == Array(element.contents)
    }
}

/// The elements of some BER, each one after its parent.
enum BERReading {
    struct Element: Equatable {
        let tag: ASN1Tag
        let bytes: [UInt8]
    }

    static func elements(_ reader: BERReader) throws(DecodeError) -> [Element] {
        var reader = reader
        var elements: [Element] = []
        while !reader.isAtEnd {
            let element = try reader.read()
            elements.append(Element(tag: element.tag, bytes: Array(element.bytes)))
            FuzzTarget.require(reader.offset == element.bytes.endIndex, "an element that stands elsewhere: \(element)")
            if let string = try? element.octetString() {
                FuzzTarget.require(string.count <= element.contents.count, "a string longer than its chunks")
            }
            if let der = try? element.der() {
                FuzzTarget.require(
                    der.bytes == element.bytes && der.contents == element.contents, "DER differs: \(element)")
            }
            guard element.tag.isConstructed else { continue }
            elements += try Self.elements(element.reader)
        }
        try reader.finish()
        return elements
    }
}
