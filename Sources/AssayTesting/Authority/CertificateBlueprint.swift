package import FoundationEssentials

/// A certificate to be signed (RFC 5280 section 4.1), every field of which can be anything.
package struct CertificateBlueprint: Sendable {
    /// The algorithm of a certificate's signature.
    package enum SignatureAlgorithm: Sendable {
        /// ecdsa-with-SHA256.
        case ecdsaWithSHA256
        /// ecdsa-with-SHA384.
        case ecdsaWithSHA384
    }

    /// The serial number, big-endian.
    package var serialNumber: [UInt8]
    /// The issuer's name. Nothing demands that it is the name of whoever signs.
    package var issuer: DistinguishedName
    /// The subject's name.
    package var subject: DistinguishedName
    /// The first second of validity.
    package var notBefore: Date
    /// The last second of validity.
    package var notAfter: Date
    /// The encoded SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8]
    /// The extensions in order; the same one twice is written twice.
    package var extensions: [CertificateExtension]
    /// The algorithm named and used.
    package var signatureAlgorithm: SignatureAlgorithm

    /// Composes a certificate.
    package init(
        serialNumber: [UInt8], issuer: DistinguishedName, subject: DistinguishedName, notBefore: Date, notAfter: Date,
        subjectPublicKeyInfo: [UInt8], extensions: [CertificateExtension],
        signatureAlgorithm: SignatureAlgorithm = .ecdsaWithSHA256
    ) {
        self.serialNumber = serialNumber
        self.issuer = issuer
        self.subject = subject
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
        self.extensions = extensions
        self.signatureAlgorithm = signatureAlgorithm
    }

    /// The certificate in DER, signed by a key.
    package func signed(by key: TestKey) throws(MintingError) -> [UInt8] {
        let algorithm = DERBuilder.sequence(
            signatureAlgorithm == .ecdsaWithSHA256 ? OID.ecdsaWithSHA256 : OID.ecdsaWithSHA384)
        let certificate = DERBuilder.sequence(
            DERBuilder.context(0, DERBuilder.integer(2)),
            DERBuilder.integer(magnitude: serialNumber),
            algorithm,
            issuer.encoded,
            DERBuilder.sequence(DERBuilder.time(notBefore), DERBuilder.time(notAfter)),
            subject.encoded,
            subjectPublicKeyInfo,
            DERBuilder.context(3, DERBuilder.element(0x30, extensions.flatMap(\.encoded))))
        let signature = try key.signature(
            over: certificate, hash: signatureAlgorithm == .ecdsaWithSHA256 ? .sha256 : .sha384)
        return DERBuilder.sequence(certificate, algorithm, DERBuilder.bitString(signature.der))
    }
}

/// A distinguished name: attribute types with text, each in a set of its own, written as UTF8String.
package struct DistinguishedName: Sendable, Equatable {
    /// The types of attributes that Apple's certificates use.
    package enum AttributeType: UInt64, Sendable {
        /// CN.
        case commonName = 3
        /// C, which is written as PrintableString.
        case country = 6
        /// ST.
        case stateOrProvince = 8
        /// O.
        case organization = 10
        /// OU.
        case organizationalUnit = 11
    }

    /// One attribute.
    package struct Attribute: Sendable, Equatable {
        /// What it is.
        package var type: AttributeType
        /// Its text.
        package var text: String

        /// Composes an attribute.
        package init(_ type: AttributeType, _ text: String) {
            self.type = type
            self.text = text
        }
    }

    /// The attributes in order.
    package var attributes: [Attribute]

    /// Composes a name.
    package init(_ attributes: [Attribute]) {
        self.attributes = attributes
    }

    /// The encoding (RFC 5280 section 4.1.2.4).
    package var encoded: [UInt8] {
        DERBuilder.element(
            0x30,
            attributes.flatMap { attribute in
                let text = Array(attribute.text.utf8)
                return DERBuilder.set(
                    DERBuilder.sequence(
                        DERBuilder.objectIdentifier([2, 5, 4, attribute.type.rawValue]),
                        DERBuilder.element(attribute.type == .country ? 0x13 : 0x0C, text)))
            })
    }
}
