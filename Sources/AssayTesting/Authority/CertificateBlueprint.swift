package import FoundationEssentials

/// A certificate to sign (RFC 5280 section 4.1). Every field accepts any value.
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
    /// The issuer's name. It may differ from the signer's name.
    package var issuer: DistinguishedName
    /// The subject's name.
    package var subject: DistinguishedName
    /// The first second of validity.
    package var notBefore: Date
    /// The last second of validity.
    package var notAfter: Date
    /// The encoded SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8]
    /// The extensions in order. Duplicates are written as given.
    package var extensions: [CertificateExtension]
    /// The algorithm of the signature, and the one that the certificate names.
    package var signatureAlgorithm: SignatureAlgorithm

    /// Creates a certificate.
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

    /// Signs the certificate; DER.
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

/// A distinguished name: one attribute per set, written as UTF8String.
package struct DistinguishedName: Sendable, Equatable {
    /// The attribute types in Apple's certificates.
    package enum AttributeType: UInt64, Sendable {
        /// CN.
        case commonName = 3
        /// C, written as PrintableString.
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
        /// The type.
        package var type: AttributeType
        /// The text.
        package var text: String

        /// Creates an attribute.
        package init(_ type: AttributeType, _ text: String) {
            self.type = type
            self.text = text
        }
    }

    /// The attributes in order.
    package var attributes: [Attribute]

    /// Creates a name.
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
