import AssayCore

/// A CBOR data item (RFC 8949) as lenient reading found it, with its place.
package struct CBORNode: Sendable {
    /// What an item holds.
    package enum Content: Sendable {
        /// Major type 0.
        case unsigned(UInt64)
        /// Major type 1; the value is -1 minus this.
        case negative(UInt64)
        /// Major type 2: where the bytes stand; of several chunks, the range around them.
        case bytes(Range<Int>)
        /// Major type 3: the text, repaired where it is no UTF-8, and where it stands.
        case text(String, Range<Int>)
        /// Major type 4.
        case array([CBORNode])
        /// Major type 5, in the order written; duplicate keys are kept.
        case map([(key: CBORNode, value: CBORNode)])
        /// Major type 6.
        indirect case tag(UInt64, CBORNode)
        /// Major type 7 without a number: false 20, true 21, null 22, undefined 23, others.
        case simple(UInt8)
        /// Major type 7 with a number of 2, 4 or 8 bytes.
        case float(Double)
        /// The bytes end or are not CBOR before the item can be identified, with the reason. The range is the rest.
        case broken(String)
    }

    /// The bytes of the item, its head included.
    package let range: Range<Int>
    /// What it holds; of a string that is cut, the part that is there.
    package let content: Content
    /// Why the bytes of a string, or those of an array or map besides its last entry, end before it does, and nil when
    /// they do not.
    package let broken: String?

    /// Places an item.
    package init(_ content: Content, at range: Range<Int>, broken: String? = nil) {
        self.content = content
        self.range = range
        self.broken = broken
    }

    /// Whether reading ended at this item or inside of it.
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

    /// The value of the first member of a map with a text key.
    package subscript(key: String) -> CBORNode? {
        guard case .map(let members) = content else { return nil }
        return members.first {
            if case .text(let text, _) = $0.key.content { text.isByteEqual(to: key) } else { false }
        }?.value
    }

    /// The value of the first member of a map with an integer key, as COSE has them.
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

    /// Where the bytes of a byte string stand, and nil for another item.
    package var byteRange: Range<Int>? {
        if case .bytes(let range) = content { range } else { nil }
    }
}
