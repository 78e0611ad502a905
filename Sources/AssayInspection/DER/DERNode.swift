/// An ASN.1 value in BER or DER (X.690) as lenient reading found it, with its place.
public struct DERNode: Sendable {
    /// The class of a tag.
    public enum TagClass: Int, Sendable {
        /// UNIVERSAL.
        case universal
        /// APPLICATION.
        case application
        /// Context-specific.
        case contextSpecific
        /// PRIVATE.
        case `private`
    }

    /// The class of the tag.
    public let tagClass: TagClass
    /// The number of the tag, such as 16 for SEQUENCE and 1204 for an extension of Apple's.
    public let tagNumber: UInt64
    /// Whether the value consists of others.
    public let isConstructed: Bool
    /// The bytes of the value, its header included.
    public let range: Range<Int>
    /// The bytes of the contents; for indefinite lengths without the end-of-contents octets.
    public let contents: Range<Int>
    /// Whether the length is indefinite, which DER forbids.
    public let isIndefinite: Bool
    /// The values that it consists of.
    public let children: [DERNode]
    /// Why reading ended inside of it, and nil when it is complete.
    public let broken: String?

    /// Places a value.
    public init(
        tagClass: TagClass, tagNumber: UInt64, isConstructed: Bool, range: Range<Int>, contents: Range<Int>,
        isIndefinite: Bool, children: [DERNode], broken: String?
    ) {
        self.tagClass = tagClass
        self.tagNumber = tagNumber
        self.isConstructed = isConstructed
        self.range = range
        self.contents = contents
        self.isIndefinite = isIndefinite
        self.children = children
        self.broken = broken
    }

    /// Whether the tag is a universal one.
    public func isUniversal(_ number: UInt64) -> Bool { tagClass == .universal && tagNumber == number }
}
