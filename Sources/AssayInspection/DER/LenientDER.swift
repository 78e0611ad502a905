/// Reads BER and DER (X.690) as far as possible, for inspection, in linear time; verification uses `DERReader`. Accepts indefinite
/// lengths, lengths and tag numbers that are not minimal, constructed encodings of primitive types, and values that claim more bytes
/// than there are. After a broken value, reading continues behind the enclosing value of definite length. Beyond the nesting ``depth``
/// or the number ``values``, the rest is one broken value.
package enum LenientDER {
    package static let depth = 64
    /// The maximum number of values.
    package static let values = 1 << 18

    /// Reads one value; indices serve as offsets. Nil for empty input.
    package static func readOne(_ bytes: ArraySlice<UInt8>) -> (node: DERNode, end: Int)? {
        guard !bytes.isEmpty else { return nil }
        var reader = LenientDERReader(bytes)
        let node = reader.value(until: bytes.endIndex, depth: 0)
        return (node, node.range.upperBound)
    }

    package static func read(_ bytes: ArraySlice<UInt8>) -> [DERNode] {
        var reader = LenientDERReader(bytes)
        return reader.values(until: bytes.endIndex, depth: 0)
    }
}

/// Reads the bytes once.
private struct LenientDERReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var count = 0

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The head before the contents.
    private struct Head {
        var tagClass = DERNode.TagClass.universal
        var tagNumber: UInt64 = 0
        var isConstructed = false
        /// The length; `.max` beyond 64 bits; nil for an indefinite one.
        var length: UInt64?
        /// Why the head is incomplete; nil if it is complete.
        var broken: String?
    }

    mutating func values(until end: Int, depth: Int) -> [DERNode] {
        var nodes: [DERNode] = []
        // Each value takes at least one byte.
        while position < end { nodes.append(value(until: end, depth: depth)) }
        return nodes
    }

    /// Reads a value that begins before `end` and does not extend beyond it.
    mutating func value(until end: Int, depth: Int) -> DERNode {
        let start = position
        count += 1
        var head = count <= LenientDER.values ? readHead(until: end) : Head(broken: nil)
        if count > LenientDER.values { head.broken = "more than \(LenientDER.values) values" }
        let (contents, children, broken) = readContents(head, until: end, depth: depth)
        return DERNode(
            tagClass: head.tagClass, tagNumber: head.tagNumber, isConstructed: head.isConstructed,
            range: start..<position, contents: contents, isIndefinite: head.length == nil && head.broken == nil,
            children: children, broken: broken)
    }

    /// The contents after a head: range, inner values, and why they end too early.
    private typealias Contents = (range: Range<Int>, children: [DERNode], broken: String?)

    private mutating func readContents(_ head: Head, until end: Int, depth: Int) -> Contents {
        if let broken = head.broken {
            position = end
            return (end..<end, [], broken)
        }
        let first = position
        guard let length = head.length else {
            return readIndefinite(isConstructed: head.isConstructed, until: end, depth: depth)
        }
        let isWhole = length <= UInt64(end - first)
        let contents = first..<(isWhole ? first + Int(length) : end)
        var broken =
            isWhole ? nil : "claims \(length == .max ? "more than any" : "\(length)") bytes, \(contents.count) are left"
        var children: [DERNode] = []
        if head.isConstructed, !contents.isEmpty {
            if depth + 1 < LenientDER.depth {
                children = values(until: contents.upperBound, depth: depth + 1)
            } else {
                broken = broken ?? "values nest deeper than \(LenientDER.depth)"
            }
        }
        position = contents.upperBound
        return (contents, children, broken)
    }

    /// Reads up to the end-of-contents octets (X.690 section 8.1.5).
    private mutating func readIndefinite(isConstructed: Bool, until end: Int, depth: Int) -> Contents {
        let first = position
        guard isConstructed, depth + 1 < LenientDER.depth else {
            position = end
            return (
                first..<end, [],
                isConstructed
                    ? "values nest deeper than \(LenientDER.depth)" : "a primitive value has no indefinite length"
            )
        }
        var children: [DERNode] = []
        while position < end {
            if bytes[position] == 0, position + 1 < end, bytes[position + 1] == 0 {
                let contents = first..<position
                position += 2
                return (contents, children, nil)
            }
            children.append(value(until: end, depth: depth + 1))
        }
        return (first..<end, children, "the bytes end without end-of-contents octets")
    }

    private mutating func readHead(until end: Int) -> Head {
        var head = Head()
        let first = bytes[position]
        position += 1
        head.tagClass = DERNode.TagClass(rawValue: Int(first >> 6)) ?? .universal
        head.isConstructed = first & 0x20 != 0
        head.tagNumber = UInt64(first & 0x1F)
        if first & 0x1F == 0x1F {
            head.tagNumber = 0
            var isOpen = true
            while isOpen {
                guard position < end else {
                    head.broken = "the tag number does not end"
                    return head
                }
                guard head.tagNumber <= UInt64.max >> 7 else {
                    head.broken = "the tag number has more than 64 bits"
                    return head
                }
                head.tagNumber = head.tagNumber << 7 | UInt64(bytes[position] & 0x7F)
                isOpen = bytes[position] & 0x80 != 0
                position += 1
            }
        }
        guard position < end else {
            head.broken = "expected a length, found the end"
            return head
        }
        let length = bytes[position]
        position += 1
        guard length & 0x80 != 0 else {
            head.length = UInt64(length)
            return head
        }
        guard length != 0x80 else { return head }
        let lengthCount = Int(length & 0x7F)
        guard lengthCount <= end - position else {
            head.broken = "the length takes \(Words.count(lengthCount, "byte")), \(end - position) are left"
            return head
        }
        var value: UInt64 = 0
        for byte in bytes[position..<position + lengthCount] {
            // A length beyond 64 bits stays at `.max`.
            value = value > UInt64.max >> 8 ? .max : value << 8 | UInt64(byte)
        }
        head.length = value
        position += lengthCount
        return head
    }
}
