/// An ASN.1 value in BER or DER (X.690) with its range, as the lenient reader found it.
package struct DERNode: Sendable {
    /// The class of a tag.
    package enum TagClass: Int, Sendable {
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
    package let tagClass: TagClass
    /// The number of the tag, such as 16 for SEQUENCE and 1204 for an Apple extension.
    package let tagNumber: UInt64
    /// Whether the encoding is constructed.
    package let isConstructed: Bool
    /// The bytes of the value, including its header.
    package let range: Range<Int>
    /// The bytes of the contents; for indefinite lengths, without the end-of-contents octets.
    package let contents: Range<Int>
    /// Whether the length is indefinite, which DER forbids.
    package let isIndefinite: Bool
    /// The inner values.
    package let children: [DERNode]
    /// Why reading ended in this value; nil if it is complete.
    package let broken: String?

    /// Creates a value.
    package init(
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

    /// Whether the tag is universal and has this number.
    package func isUniversal(_ number: UInt64) -> Bool { tagClass == .universal && tagNumber == number }
}
