public import AssayCore
public import FoundationEssentials

/// A receipt to mint: CMS SignedData around a list of fields. The initial values are those of Apple's service.
public struct ReceiptBlueprint: Sendable {
    /// The fields of the payload, in order.
    package var fields: [ReceiptField]
    /// The payload; nil for the encoded fields.
    package var payload: [UInt8]?
    /// The signers. Genuine receipts have one.
    package var signers: [TestIssuer]
    /// The certificates in the message. Genuine receipts have those of the signer, its authority and the root.
    package var certificates: [[UInt8]]
    /// The encoding of the message.
    package var encoding = ReceiptEncoding.indefinite(chunkSize: 1000)
    package var signedAttributes = SignedAttributes.none
    package var changeSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the encoded message.
    package var changeEncoded: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// The attributes that a signer signs (RFC 5652 section 5.3).
    package enum SignedAttributes: Sendable {
        /// None. The signature covers the content, as in receipts since October 2020.
        case none
        /// Content type, signing time and digest. The signature covers them, as the RFC demands.
        case signed(Date)
        /// The same attributes with a signature over the content, as in receipts of August and September 2020. Invalid.
        case ignored(Date)
    }

    /// Creates the blueprint of the receipt in an attestation (field 6: ATTEST).
    ///
    /// - Parameters:
    ///   - certificate: The leaf, DER.
    ///   - clientDataHash: The client data hash that the app passed to `attestKey`.
    ///   - createdAt: The time of creation. The receipt expires 90 days later.
    public init(
        authority: TestAuthority, appID: String, certificate: [UInt8], clientDataHash: [UInt8],
        environment: AttestEnvironment, createdAt: Date
    ) {
        fields = [
            ReceiptField(2, appID), ReceiptField(3, certificate), ReceiptField(4, clientDataHash),
            ReceiptField(5, Self.token(for: certificate)), ReceiptField(6, "ATTEST"),
            ReceiptField(7, environment.receiptName), ReceiptField(12, Self.time(createdAt)),
            ReceiptField(21, Self.time(createdAt.addingTimeInterval(90 * 86_400))),
        ]
        signers = [authority.receiptSigner]
        certificates = [authority.receiptSigner, authority.receiptAuthority, authority.root].map(\.certificate)
    }

    /// Creates the blueprint of a refreshed receipt (field 6: RECEIPT): with a risk metric, not refreshable for a day.
    public init(
        authority: TestAuthority, appID: String, certificate: [UInt8], clientDataHash: [UInt8],
        environment: AttestEnvironment, createdAt: Date, riskMetric: UInt32
    ) {
        self.init(
            authority: authority, appID: appID, certificate: certificate, clientDataHash: clientDataHash,
            environment: environment, createdAt: createdAt)
        // Apple's service decodes the hash as UTF-8 and writes the resulting text.
        self[4] = ReceiptField(4, String(decoding: clientDataHash, as: UTF8.self))
        self[6] = nil
        fields.insert(contentsOf: [ReceiptField(17, String(riskMetric)), ReceiptField(6, "RECEIPT")], at: 0)
        fields.insert(ReceiptField(19, Self.time(createdAt.addingTimeInterval(86_400))), at: fields.count - 1)
    }

    /// The first field of a type. Setting nil removes it; setting an absent field appends it.
    package subscript(type: UInt64) -> ReceiptField? {
        get { fields.first { $0.type == type } }
        set {
            let index = fields.firstIndex { $0.type == type }
            if let index, let newValue {
                fields[index] = newValue
            } else if let index {
                fields.remove(at: index)
            } else if let newValue {
                fields.append(newValue)
            }
        }
    }

    /// Mints the receipt.
    public func mint() throws(MintingError) -> [UInt8] {
        let content = payload ?? DERBuilder.element(0x31, fields.flatMap(\.encoded))
        var signerInfos: [UInt8] = []
        for signer in signers { signerInfos += try signerInfo(of: signer, over: content) }
        return changeEncoded(
            encoding.message(content: content, certificates: certificates, signerInfos: signerInfos))
    }

    private func signerInfo(of signer: TestIssuer, over content: [UInt8]) throws(MintingError) -> [UInt8] {
        let attributes: [UInt8]
        let signed: [UInt8]
        switch signedAttributes {
        case .none: (attributes, signed) = ([], content)
        case .signed(let time):
            attributes = Self.attributes(of: content, at: time)
            signed = DERBuilder.element(0x31, attributes)
        case .ignored(let time): (attributes, signed) = (Self.attributes(of: content, at: time), content)
        }
        let signature = try signer.key.signature(over: signed).der
        return DERBuilder.element(
            0x30,
            DERBuilder.integer(1)
                + DERBuilder.sequence(signer.issuerName.encoded, DERBuilder.integer(magnitude: signer.serialNumber))
                + DERBuilder.sequence(OID.sha256, DERBuilder.null)
                + (attributes.isEmpty ? [] : DERBuilder.element(0xA0, attributes))
                + DERBuilder.sequence(OID.ecdsaWithSHA256)
                + DERBuilder.octetString(changeSignature(signature)))
    }

    /// The attributes sorted by their encodings, as DER demands of a SET OF.
    private static func attributes(of content: [UInt8], at time: Date) -> [UInt8] {
        DERBuilder.sequence(OID.contentType, DERBuilder.set(OID.data))
            + DERBuilder.sequence(OID.signingTime, DERBuilder.set(DERBuilder.time(time)))
            + DERBuilder.sequence(OID.messageDigest, DERBuilder.set(DERBuilder.octetString(sha256(content))))
    }

    /// A time in the form of receipts: RFC 3339 with three fraction digits.
    package static func time(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        let seconds = RFC3339.format(Date(timeIntervalSince1970: Double(milliseconds / 1000)))
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(seconds.dropLast()).\(fraction)Z"
    }

    /// A token in the genuine form, base64 of 64 bytes, derived from the certificate alone.
    private static func token(for certificate: [UInt8]) -> String {
        let digest = sha256(certificate)
        return Data(digest + sha256(digest)).base64EncodedString()
    }
}

/// A field of a receipt: SEQUENCE {INTEGER type, INTEGER version, OCTET STRING value}.
package struct ReceiptField: Sendable, Equatable {
    /// The type: 2 App ID, 3 certificate, 4 client data hash, 5 token, 6 ATTEST or RECEIPT, 7 environment, 12 creation
    /// time, 17 risk metric, 19 not before, 21 expiry.
    package var type: UInt64
    /// The version. Genuine receipts have 1.
    package var version: UInt64
    /// The value, not nested DER.
    package var value: [UInt8]

    package init(_ type: UInt64, version: UInt64 = 1, _ value: [UInt8]) {
        (self.type, self.version, self.value) = (type, version, value)
    }

    package init(_ type: UInt64, version: UInt64 = 1, _ text: String) {
        self.init(type, version: version, Array(text.utf8))
    }

    package var encoded: [UInt8] {
        DERBuilder.sequence(
            DERBuilder.integer(type), DERBuilder.integer(version), DERBuilder.octetString(value))
    }
}
