import AssayCore

/// A CBOR data item (RFC 8949) with its range, as the lenient reader found it.
package struct CBORNode: Sendable {
    /// The value of an item.
    package enum Content: Sendable {
        /// Major type 0.
        case unsigned(UInt64)
        /// Major type 1; the value is -1 minus this.
        case negative(UInt64)
        /// Major type 2: the range of the bytes; for several chunks, the range around them.
        case bytes(Range<Int>)
        /// Major type 3: the text with invalid UTF-8 replaced, and its range.
        case text(String, Range<Int>)
        /// Major type 4.
        case array([CBORNode])
        /// Major type 5, in encoded order, with duplicate keys.
        case map([(key: CBORNode, value: CBORNode)])
        /// Major type 6.
        indirect case tag(UInt64, CBORNode)
        /// Major type 7 without a number: false 20, true 21, null 22, undefined 23, others.
        case simple(UInt8)
        /// Major type 7 with a number of 2, 4 or 8 bytes.
        case float(Double)
        /// No item: the input ends or is not CBOR. The text is the reason; the range is the rest of the input.
        case broken(String)
    }

    /// The bytes of the item, including its head.
    package let range: Range<Int>
    /// The value; for a truncated string, the available part.
    package let content: Content
    /// Why the content of a string, array or map ends too early; nil if it is complete.
    package let broken: String?

    /// Creates an item.
    package init(_ content: Content, at range: Range<Int>, broken: String? = nil) {
        self.content = content
        self.range = range
        self.broken = broken
    }

    /// Whether reading ended in this item.
    package var isBroken: Bool {
        if broken != nil { return true }
        return switch content {
        case .broken: true
        case .array(let items): items.last?.isBroken ?? false
        case .map(let members): members.last.map { $0.key.isBroken || $0.value.isBroken } ?? false
        case .tag(_, let item): item.isBroken
        case .unsigned, .negative, .bytes, .text, .simple, .float: false
        }
    }

    /// The value of the first text key that matches.
    package subscript(key: String) -> CBORNode? {
        guard case .map(let members) = content else { return nil }
        return members.first {
            if case .text(let text, _) = $0.key.content { text.isByteEqual(to: key) } else { false }
        }?.value
    }

    /// The value of the first integer key that matches, as in COSE.
    package subscript(key: Int64) -> CBORNode? {
        guard case .map(let members) = content else { return nil }
        return members.first {
            switch $0.key.content {
            case .unsigned(let value): key >= 0 && value == UInt64(key)
            case .negative(let value): key < 0 && value == UInt64(-1 - key)
            default: false
            }
        }?.value
    }

    /// The range of a byte string's bytes; nil for other items.
    package var byteRange: Range<Int>? {
        if case .bytes(let range) = content { range } else { nil }
    }
}
