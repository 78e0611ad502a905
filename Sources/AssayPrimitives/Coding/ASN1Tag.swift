/// An ASN.1 tag: class and number, and whether the encoding is constructed (X.690 section 8.1.2).
@usableFromInline
package struct ASN1Tag: Hashable, Sendable, CustomStringConvertible {
    package enum Class: UInt8, Sendable {
        /// Defined by X.680.
        case universal = 0x00
        /// Defined by the application.
        case application = 0x40
        /// Defined by the enclosing type.
        case contextSpecific = 0x80
        /// Defined by an agreement.
        case `private` = 0xC0

        /// The class in the first identifier octet of a tag.
        init(identifier: UInt8) {
            switch identifier >> 6 {
            case 0: self = .universal
            case 1: self = .application
            case 2: self = .contextSpecific
            default: self = .private
            }
        }
    }

    package let tagClass: Class
    /// Whether the contents are encodings (X.690 section 8.1.2.5).
    package let isConstructed: Bool
    package let number: UInt32

    package init(_ tagClass: Class, _ number: UInt32, constructed: Bool) {
        self.tagClass = tagClass
        self.number = number
        isConstructed = constructed
    }

    /// The only identifier octet; nil for a number from 31 on, which takes more.
    var identifier: UInt8? {
        number < 0x1F ? tagClass.rawValue | (isConstructed ? 0x20 : 0) | UInt8(truncatingIfNeeded: number) : nil
    }

    /// `[number]`; EXPLICIT tags and implicitly tagged SEQUENCE and SET are constructed.
    package static func context(_ number: UInt32, constructed: Bool = true) -> ASN1Tag {
        ASN1Tag(.contextSpecific, number, constructed: constructed)
    }

    package static let boolean = ASN1Tag(.universal, 1, constructed: false)
    package static let integer = ASN1Tag(.universal, 2, constructed: false)
    package static let bitString = ASN1Tag(.universal, 3, constructed: false)
    package static let octetString = ASN1Tag(.universal, 4, constructed: false)
    package static let null = ASN1Tag(.universal, 5, constructed: false)
    package static let objectIdentifier = ASN1Tag(.universal, 6, constructed: false)
    package static let utf8String = ASN1Tag(.universal, 12, constructed: false)
    package static let printableString = ASN1Tag(.universal, 19, constructed: false)
    package static let utcTime = ASN1Tag(.universal, 23, constructed: false)
    package static let generalizedTime = ASN1Tag(.universal, 24, constructed: false)
    package static let sequence = ASN1Tag(.universal, 16, constructed: true)
    package static let set = ASN1Tag(.universal, 17, constructed: true)

    /// Class, number and form, as in error messages.
    @usableFromInline package var description: String {
        let names: [UInt32: String] = [
            1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL", 6: "OBJECT IDENTIFIER",
            12: "UTF8String", 16: "SEQUENCE", 17: "SET", 19: "PrintableString", 23: "UTCTime", 24: "GeneralizedTime",
        ]
        if tagClass == .universal, let name = names[number] {
            return isConstructed == (number == 16 || number == 17) ? name : "\(name) of the wrong form"
        }
        return "\(tagClass == .contextSpecific ? "" : "\(tagClass) ")[\(number)]\(isConstructed ? "" : " primitive")"
    }
}
