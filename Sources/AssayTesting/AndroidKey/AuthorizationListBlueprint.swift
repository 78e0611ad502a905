/// A tag of an AuthorizationList (Android documentation, "Key and ID attestation"). Any number is allowed.
package struct AndroidKeyTag: Sendable, Equatable, ExpressibleByIntegerLiteral {
    package let number: UInt64

    package init(integerLiteral number: UInt64) { self.number = number }

    package static let purpose: AndroidKeyTag = 1
    package static let algorithm: AndroidKeyTag = 2
    package static let keySize: AndroidKeyTag = 3
    package static let digest: AndroidKeyTag = 5
    package static let padding: AndroidKeyTag = 6
    package static let ecCurve: AndroidKeyTag = 10
    package static let rsaPublicExponent: AndroidKeyTag = 200
    package static let rollbackResistance: AndroidKeyTag = 303
    package static let usageCountLimit: AndroidKeyTag = 405
    package static let userSecureID: AndroidKeyTag = 502
    package static let noAuthRequired: AndroidKeyTag = 503
    package static let userAuthType: AndroidKeyTag = 504
    package static let authTimeout: AndroidKeyTag = 505
    package static let allApplications: AndroidKeyTag = 600
    package static let applicationID: AndroidKeyTag = 601
    package static let creationDateTime: AndroidKeyTag = 701
    package static let origin: AndroidKeyTag = 702
    package static let rollbackResistant: AndroidKeyTag = 703
    package static let rootOfTrust: AndroidKeyTag = 704
    package static let osVersion: AndroidKeyTag = 705
    package static let osPatchLevel: AndroidKeyTag = 706
    package static let attestationApplicationID: AndroidKeyTag = 709
    package static let attestationIDBrand: AndroidKeyTag = 710
    package static let attestationIDSerial: AndroidKeyTag = 713
    package static let attestationIDIMEI: AndroidKeyTag = 714
    package static let vendorPatchLevel: AndroidKeyTag = 718
    package static let bootPatchLevel: AndroidKeyTag = 719
    package static let deviceUniqueAttestation: AndroidKeyTag = 720
    package static let moduleHash: AndroidKeyTag = 724
}

/// The value of a tag, inside its explicit tag.
package enum AuthorizationValue: Sendable, Equatable {
    /// A nonnegative INTEGER.
    case integer(UInt64)
    /// A SET OF INTEGER in the given order.
    case integers([UInt64])
    case null
    /// An OCTET STRING.
    case octets([UInt8])
    /// Encoded bytes.
    case encoded([UInt8])

    package var encoded: [UInt8] {
        switch self {
        case .integer(let value): DERBuilder.integer(value)
        case .integers(let values): DERBuilder.element(0x31, values.flatMap { DERBuilder.integer($0) })
        case .null: DERBuilder.null
        case .octets(let bytes): DERBuilder.octetString(bytes)
        case .encoded(let bytes): bytes
        }
    }
}

/// An AuthorizationList to encode: a SEQUENCE of explicitly tagged values. Every order, duplicate and encoding is allowed.
package struct AuthorizationListBlueprint: Sendable, Equatable {
    package enum Element: Sendable, Equatable {
        /// A value in its explicit tag.
        case value(AndroidKeyTag, AuthorizationValue)
        /// A whole element with its tag, such as one with a tag in the wrong form.
        case encoded([UInt8])
    }

    /// The elements in order.
    package var elements: [Element] = []

    package init() {}

    /// The value of the first element with a tag; nil if absent. Setting nil removes all elements with the tag; setting an
    /// absent one inserts it in ascending order.
    package subscript(tag: AndroidKeyTag) -> AuthorizationValue? {
        get {
            for case .value(tag, let value) in elements { return value }
            return nil
        }
        set {
            let index = elements.firstIndex { if case .value(tag, _) = $0 { true } else { false } }
            switch (index, newValue) {
            case (let index?, let value?): elements[index] = .value(tag, value)
            case (_, nil): elements.removeAll { if case .value(tag, _) = $0 { true } else { false } }
            case (nil, let value?):
                let next = elements.firstIndex {
                    if case .value(let other, _) = $0 { other.number > tag.number } else { false }
                }
                elements.insert(.value(tag, value), at: next ?? elements.endIndex)
            }
        }
    }

    package var encoded: [UInt8] {
        DERBuilder.element(
            0x30,
            elements.flatMap { element in
                switch element {
                case .value(let tag, let value): DERBuilder.context(Int(tag.number), value.encoded)
                case .encoded(let bytes): bytes
                }
            })
    }
}
