/// A CBOR data item (RFC 8949) as lenient reading found it, with its place.
public struct CBORNode: Sendable {
    /// What an item holds.
    public enum Content: Sendable {
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
        /// The bytes end, or are no CBOR, before the item is complete; why.
        case broken(String)
    }

    /// The bytes of the item, its head included.
    public let range: Range<Int>
    /// What it holds.
    public let content: Content

    /// Places an item.
    public init(_ content: Content, at range: Range<Int>) {
        self.content = content
        self.range = range
    }

    /// The value of the first member of a map with a text key.
    public subscript(key: String) -> CBORNode? {
        guard case .map(let members) = content else { return nil }
        return members.first { if case .text(key, _) = $0.key.content { true } else { false } }?.value
    }
}
