package import FoundationEssentials

/// A certificate to sign (RFC 5280 section 4.1). Every field accepts any value.
package struct CertificateBlueprint: Sendable {
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

    /// The encoded version; nil for version 3.
    package var version: [UInt8]?
    /// The encoded INTEGER in place of the serial number.
    package var encodedSerialNumber: [UInt8]?
    /// The encoded validity in place of the two times.
    package var validity: [UInt8]?
    /// The encoded AlgorithmIdentifier that the certificate names, in both places.
    package var algorithmIdentifier: [UInt8]?
    /// The encoded AlgorithmIdentifier inside the signed part, if it differs from the other one.
    package var signedAlgorithmIdentifier: [UInt8]?
    /// A last change to the signed part, before signing.
    package var changeSigned: (@Sendable ([UInt8]) -> [UInt8])?
    package var changeSignature: (@Sendable ([UInt8]) -> [UInt8])?
    /// A last change to the encoded certificate.
    package var changeEncoded: (@Sendable ([UInt8]) -> [UInt8])?

    package init(
        serialNumber: [UInt8], issuer: DistinguishedName, subject: DistinguishedName, notBefore: Date, notAfter: Date,
        subjectPublicKeyInfo: [UInt8], extensions: [CertificateExtension],
        signatureAlgorithm: SignatureAlgorithm = .ecdsaWithSHA256
    ) {
        (self.serialNumber, self.issuer, self.subject) = (serialNumber, issuer, subject)
        (self.notBefore, self.notAfter, self.subjectPublicKeyInfo) = (notBefore, notAfter, subjectPublicKeyInfo)
        (self.extensions, self.signatureAlgorithm) = (extensions, signatureAlgorithm)
    }

    /// Signs the certificate with ECDSA; DER.
    package func signed(by key: TestKey) throws(MintingError) -> [UInt8] {
        try signed { (message) throws(MintingError) in
            try key.signature(over: message, hash: signatureAlgorithm.hash).der
        }
    }

    /// Signs the certificate; DER.
    ///
    /// - Parameter sign: Signs the encoded signed part, and returns the contents of the BIT STRING.
    package func signed(
        _ sign: (_ message: [UInt8]) throws(MintingError) -> [UInt8]
    ) throws(MintingError) -> [UInt8] {
        let algorithm = algorithmIdentifier ?? signatureAlgorithm.identifier
        let fields = DERBuilder.sequence(
            DERBuilder.context(0, version ?? DERBuilder.integer(2)),
            encodedSerialNumber ?? DERBuilder.integer(magnitude: serialNumber),
            signedAlgorithmIdentifier ?? algorithm,
            issuer.encoded,
            validity ?? DERBuilder.sequence(DERBuilder.time(notBefore), DERBuilder.time(notAfter)),
            subject.encoded,
            subjectPublicKeyInfo,
            DERBuilder.context(3, DERBuilder.element(0x30, extensions.flatMap(\.encoded))))
        let signed = changeSigned.map { $0(fields) } ?? fields
        let signature = try sign(signed)
        let certificate = DERBuilder.sequence(
            signed, algorithm, DERBuilder.bitString(changeSignature.map { $0(signature) } ?? signature))
        return changeEncoded.map { $0(certificate) } ?? certificate
    }
}

extension CertificateBlueprint {
    /// The algorithm of a certificate's signature.
    package enum SignatureAlgorithm: Sendable, Equatable {
        /// ecdsa-with-SHA1, which verifiers must refuse.
        case ecdsaWithSHA1
        case ecdsaWithSHA256
        case ecdsaWithSHA384
        /// sha1WithRSAEncryption, which verifiers must refuse.
        case sha1WithRSA
        /// sha256WithRSAEncryption.
        case sha256WithRSA
        /// sha384WithRSAEncryption.
        case sha384WithRSA
        /// Ed25519 (RFC 8410).
        case ed25519

        /// The encoded AlgorithmIdentifier.
        package var identifier: [UInt8] {
            switch self {
            case .ecdsaWithSHA1: DERBuilder.sequence(OID.ecdsaWithSHA1)
            case .ecdsaWithSHA256: DERBuilder.sequence(OID.ecdsaWithSHA256)
            case .ecdsaWithSHA384: DERBuilder.sequence(OID.ecdsaWithSHA384)
            case .sha1WithRSA: DERBuilder.sequence(OID.sha1WithRSA, DERBuilder.null)
            case .sha256WithRSA: DERBuilder.sequence(OID.sha256WithRSA, DERBuilder.null)
            case .sha384WithRSA: DERBuilder.sequence(OID.sha384WithRSA, DERBuilder.null)
            case .ed25519: DERBuilder.sequence(OID.ed25519)
            }
        }

        /// The digest that the signature covers. Ed25519 has its own.
        package var hash: TestKey.Hash {
            switch self {
            case .ecdsaWithSHA1, .sha1WithRSA: .sha1
            case .ecdsaWithSHA256, .sha256WithRSA, .ed25519: .sha256
            case .ecdsaWithSHA384, .sha384WithRSA: .sha384
            }
        }
    }
}
