/// A distinguished name: one attribute per set.
package struct DistinguishedName: Sendable, Equatable {
    /// The attribute types in certificates of Apple and of Android.
    package enum AttributeType: UInt64, Sendable {
        /// CN.
        case commonName = 3
        /// serialNumber, written as PrintableString.
        case serialNumber = 5
        /// C, written as PrintableString.
        case country = 6
        /// ST.
        case stateOrProvince = 8
        /// O.
        case organization = 10
        /// OU.
        case organizationalUnit = 11
        case title = 12
    }

    package struct Attribute: Sendable, Equatable {
        package var type: AttributeType
        package var text: String
        /// The identifier octet of the text: 0x0C UTF8String, 0x13 PrintableString.
        package var textTag: UInt8

        /// Creates an attribute.
        ///
        /// - Parameter textTag: Nil for PrintableString in country and serial number, and UTF8String in all others.
        package init(_ type: AttributeType, _ text: String, textTag: UInt8? = nil) {
            self.type = type
            self.text = text
            self.textTag = textTag ?? (type == .country || type == .serialNumber ? 0x13 : 0x0C)
        }
    }

    /// The attributes in order.
    package var attributes: [Attribute]

    package init(_ attributes: [Attribute]) {
        self.attributes = attributes
    }

    /// The encoding (RFC 5280 section 4.1.2.4).
    package var encoded: [UInt8] {
        DERBuilder.element(
            0x30,
            attributes.flatMap { attribute in
                DERBuilder.set(
                    DERBuilder.sequence(
                        DERBuilder.objectIdentifier([2, 5, 4, attribute.type.rawValue]),
                        DERBuilder.element(attribute.textTag, Array(attribute.text.utf8))))
            })
    }
}
