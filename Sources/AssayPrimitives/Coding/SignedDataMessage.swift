/// A parsed, unverified CMS SignedData message with one signer (RFC 5652 sections 3 and 5). Supports what App Attest
/// receipts need: BER, attached content of type data, a signer named by issuer and serial number.
package struct SignedDataMessage: Sendable {
    package struct Signer: Sendable {
        /// The signer's issuer, a DER Name.
        package let issuer: ArraySlice<UInt8>
        /// The contents octets of the signer's serial number.
        package let serialNumber: ArraySlice<UInt8>
        package let digestAlgorithm: ObjectIdentifier
        /// Whether there are signed attributes; if so, the signature covers them.
        package let hasSignedAttributes: Bool
        package let signatureAlgorithm: ObjectIdentifier
        package let signature: [UInt8]
    }

    /// The content, joined from its chunks.
    package let content: [UInt8]
    /// The certificates of the message, in DER.
    package let certificates: [ArraySlice<UInt8>]
    package let signer: Signer

    private static let signedData = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)
    private static let data = ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1)

    /// Parses a message. `bytes` must contain nothing else.
    package init(_ bytes: ArraySlice<UInt8>) throws(DecodeError) {
        var info = try BERReader.single(.sequence, in: bytes).reader
        try SignedDataMessage.require(SignedDataMessage.signedData, &info, field: "contentType")
        var wrapper = try info.readConstructed(.context(0))
        try info.finish()
        var message = try wrapper.readConstructed(.sequence)
        try wrapper.finish()

        // SignedData: version, digestAlgorithms, encapContentInfo, [0] certificates, signerInfos. No crls.
        let version = try message.read(.integer)
        guard try version.der().integer() == 1 else {
            // RFC 5652 section 5.1: version 1 for content of type data and a signer named by issuer and serial number.
            throw DecodeError(
                .unexpectedValue, at: version.bytes.startIndex, field: "version", "expected version 1")
        }
        var digests = try message.readConstructed(.set)
        let digestAlgorithm = try SignedDataMessage.readAlgorithm(&digests)
        try digests.finish()
        var content = try message.readConstructed(.sequence)
        try SignedDataMessage.require(SignedDataMessage.data, &content, field: "eContentType")
        var octets = try content.readConstructed(.context(0))
        self.content = try octets.readOctetString()
        try octets.finish()
        try content.finish()

        var certificates: [ArraySlice<UInt8>] = []
        if var bag = try message.readIfPresent(.context(0))?.reader {
            while !bag.isAtEnd {
                let certificate = try bag.read(.sequence)
                guard certificates.count < InputLimits.certificates else {
                    throw DecodeError(
                        .tooLarge, at: certificate.bytes.startIndex, field: "certificates",
                        "more than \(InputLimits.certificates) certificates")
                }
                certificates.append(certificate.bytes)
            }
        }
        self.certificates = certificates
        let signers = try message.read(.set)
        try message.finish()
        var signerReader = signers.reader
        guard !signerReader.isAtEnd else {
            throw DecodeError(.missing, at: signers.bytes.startIndex, field: "signerInfos", "the message has no signer")
        }
        signer = try SignedDataMessage.readSigner(&signerReader)
        guard signer.digestAlgorithm == digestAlgorithm else {
            throw DecodeError(
                .unexpectedValue, at: signers.bytes.startIndex, field: "digestAlgorithms",
                "the signer's digest algorithm is not the message's")
        }
        guard signerReader.isAtEnd else {
            throw DecodeError(
                .unexpected, at: signerReader.offset, field: "signerInfos", "expected one signer, found more")
        }
    }

    /// SignerInfo: version, sid, digestAlgorithm, [0] signedAttrs, signatureAlgorithm, signature. No unsignedAttrs.
    private static func readSigner(_ signers: inout BERReader) throws(DecodeError) -> Signer {
        var reader = try signers.readConstructed(.sequence)
        let version = try reader.read(.integer)
        guard try version.der().integer() == 1 else {
            throw DecodeError(
                .unexpectedValue, at: version.bytes.startIndex, field: "signerInfos",
                "expected a signer named by issuer and serial number")
        }
        var name = try reader.readConstructed(.sequence)
        let issuer = try name.read(.sequence).bytes
        let serialNumber = try name.read(.integer).der().integerBytes()
        try name.finish()
        let digestAlgorithm = try readAlgorithm(&reader)
        let attributes = try reader.readIfPresent(.context(0))
        if var rest = attributes?.reader {
            while !rest.isAtEnd { try readAttribute(&rest) }
        }
        let signatureAlgorithm = try readAlgorithm(&reader)
        let signature = try reader.readOctetString()
        try reader.finish()
        return Signer(
            issuer: issuer, serialNumber: serialNumber, digestAlgorithm: digestAlgorithm,
            hasSignedAttributes: attributes != nil, signatureAlgorithm: signatureAlgorithm, signature: signature)
    }

    /// Attribute: attrType, attrValues. Requires canonical tags: OpenSSL encodes the attributes again before it
    /// verifies the signature, so it would accept another encoding of a tag.
    private static func readAttribute(_ attributes: inout BERReader) throws(DecodeError) {
        var attribute = try attributes.readConstructed(.sequence)
        _ = try ObjectIdentifier(attribute.read(.objectIdentifier).der())
        _ = try attribute.readConstructed(.set)
        try attribute.finish()
    }

    /// AlgorithmIdentifier whose parameters are absent or NULL (RFC 5754 section 2).
    private static func readAlgorithm(_ reader: inout BERReader) throws(DecodeError) -> ObjectIdentifier {
        var algorithm = try reader.readConstructed(.sequence)
        let identifier = try ObjectIdentifier(algorithm.read(.objectIdentifier).der())
        try algorithm.readIfPresent(.null)?.der().null()
        try algorithm.finish()
        return identifier
    }

    private static func require(
        _ expected: ObjectIdentifier, _ reader: inout BERReader, field: String
    ) throws(DecodeError) {
        let offset = reader.offset
        let found = try ObjectIdentifier(reader.read(.objectIdentifier).der())
        guard found == expected else {
            throw DecodeError(.unexpectedValue, at: offset, field: field, "expected \(expected), found \(found)")
        }
    }
}
