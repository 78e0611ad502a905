public import AssayCore

extension CheckID {
    /// The receipt is a CMS message with a payload in the allowed form.
    public static let appAttestReceiptDecode = CheckID("app-attest.receipt.decode")
    /// The signer signed the payload.
    public static let appAttestReceiptSignature = CheckID("app-attest.receipt.signature")
    /// The signer is Apple's receipt service.
    public static let appAttestReceiptChain = CheckID("app-attest.receipt.chain")
}

extension ReceiptCheck {
    static let decodeEntry = CheckDefinition(
        .appAttestReceiptDecode, .gate,
        proves: "The receipt is a CMS message with one signer, and a payload whose fields have their types.",
        stops: "Payloads that two parsers read differently: duplicated fields, values of another type.",
        lookAt: "The byte that the detail names; Apple's server answers with base64 of the receipt.",
        source: apple,
        remedy: .nothing, codes: CheckCode.ofDecoding)

    static let signatureEntry = CheckDefinition(
        .appAttestReceiptSignature, .gate,
        proves: "The signer signed exactly this payload.",
        stops: "Invented and altered receipts.",
        lookAt:
            "Receipts of August and September 2020 carry signed attributes that they do not sign; they never verify.",
        source: "\(apple); RFC 5652 section 5.4",
        remedy: .nothing, codes: SignedReceipt.signatureCodes)

    static let chainEntry = CheckDefinition(
        .appAttestReceiptChain, .gate,
        proves: """
            The signer's certificate leads to Apple Root CA - G3, was valid when the receipt was made, and is marked \
            for receipts (1.2.840.113635.100.12.15).
            """,
        stops: "Receipts signed with another certificate, even one of Apple's.",
        lookAt: "The issuer that the detail names.",
        source: apple,
        remedy: .nothing, codes: SignedReceipt.chainCodes)
}

/// Verifies that Apple issued a receipt, for receipts in attestations and refreshed ones.
package struct SignedReceipt: Sendable {
    private let bytes: ArraySlice<UInt8>
    private let message: SignedDataMessage
    private let certificates: [Certificate]
    private let signer: Certificate
    /// The payload. Trust it only after ``verifySignature()`` and ``verifySigner(trust:)`` have passed.
    package let payload: Receipt

    /// 1.2.840.113635.100.12.15: the certificate may sign App Attest receipts.
    private static let receiptMarker = ObjectIdentifier(1, 2, 840, 113635, 100, 12, 15)
    private static let sha256 = ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1)
    private static let ecdsaWithSHA256 = ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2)

    /// The codes of ``verifySignature()``.
    static let signatureCodes: [CheckCode] = [.receiptAlgorithm, .receiptSignatureInvalid, .receiptSignedAttributes]
    /// The codes of ``verifySigner(trust:)``.
    static let chainCodes = CheckCode.ofPath + [.receiptCertificateNotInPath, .receiptSignerPurpose]

    /// Decodes a receipt: a CMS message with one signer, its certificate, and the payload. `authorities` caches
    /// verified signer certificates.
    package init(_ bytes: ArraySlice<UInt8>, authorities: CertificatePathValidator) throws(DecodeError) {
        guard bytes.count <= InputLimits.receipt else {
            throw DecodeError(
                .tooLarge, at: bytes.startIndex, "\(bytes.count) bytes, at most \(InputLimits.receipt) are allowed")
        }
        self.bytes = bytes
        let message = try SignedDataMessage(bytes)
        var certificates: [Certificate] = []
        for der in message.certificates { certificates.append(try authorities.certificate(der: der)) }
        let named = certificates.filter {
            $0.issuer.elementsEqual(message.signer.issuer)
                && $0.serialNumber.elementsEqual(message.signer.serialNumber)
        }
        guard let signer = named.first, named.count == 1 else {
            throw DecodeError(
                .missing, at: bytes.startIndex, field: "certificates",
                "expected the signer's certificate once, found it \(named.count) times")
        }
        (self.message, self.certificates, self.signer) = (message, certificates, signer)
        do {
            payload = try Receipt(payload: message.content)
        } catch {
            throw error.within("payload")
        }
    }

    /// The signer signed the content itself (RFC 5652 section 5.4): no receipt of Apple has had signed attributes so far. It is
    /// verified directly, because OpenSSL, which verifies signed attributes, would decode the keys of all three certificates.
    func verifySignature() throws(CheckFailure) {
        guard message.signer.digestAlgorithm == SignedReceipt.sha256,
            message.signer.signatureAlgorithm == SignedReceipt.ecdsaWithSHA256
        else {
            let found = message.signer.signatureAlgorithm
            throw CheckFailure(
                .receiptAlgorithm, "expected ecdsa-with-SHA256 over SHA-256, found signature algorithm \(found)")
        }
        guard !message.signer.hasSignedAttributes else { return try verifySignedAttributes() }
        guard let key = try? signer.publicKey(), key.curve == .p256 else {
            throw CheckFailure(.receiptAlgorithm, "the signer's key is no P-256 key")
        }
        guard key.isValidSignature(der: message.signer.signature[...], for: message.content[...], digest: .sha256)
        else {
            throw CheckFailure(.receiptSignatureInvalid, "the signer did not sign this payload")
        }
    }

    private func verifySignedAttributes() throws(CheckFailure) {
        switch CMSSignedData.verify(bytes, detachedContent: nil) {
        case .success(let verified)
        where verified.content == message.content
            && verified.signer.elementsEqual(signer.der):
            return
        case .success:
            throw CheckFailure(.receiptSignatureInvalid, "the message has two readings")
        case .failure(let failure):
            throw CheckFailure(
                .receiptSignedAttributes,
                "the signed attributes do not verify (\(failure.detail)); receipts of August and September 2020 carry "
                    + "attributes that their signature does not cover")
        }
    }

    /// The signer's certificate leads to the root, may sign receipts, and was valid at field 12 of the payload: signers expire long
    /// before keys do, and a false time would need the signature of an Apple certificate.
    func verifySigner(trust: AppAttestTrust) throws(CheckFailure) {
        let intermediates = certificates.filter { $0 != signer }
        let path = trust.receipts.validate(
            signer, intermediates: intermediates, at: payload.creationTime, rememberLeaf: true)
        switch path {
        case .failure(let failure): throw CheckFailure(failure)
        case .success(let path):
            // No signature covers the set of certificates: one outside the path could hide arbitrary bytes.
            guard certificates.allSatisfy(path.chain.contains) else {
                throw CheckFailure(
                    .receiptCertificateNotInPath,
                    "the receipt carries a certificate that is not on the signer's path")
            }
        }
        guard signer.extension(SignedReceipt.receiptMarker) != nil else {
            throw CheckFailure(
                .receiptSignerPurpose,
                "the signer's certificate is not marked for receipts (1.2.840.113635.100.12.15)")
        }
    }
}

extension Receipt {
    /// The payload of a receipt, after verification.
    static func verified(_ bytes: ArraySlice<UInt8>, trust: AppAttestTrust) throws(CheckFailure) -> Receipt {
        let signed: SignedReceipt
        do {
            signed = try SignedReceipt(bytes, authorities: trust.receipts)
        } catch {
            throw CheckFailure(error)
        }
        try signed.verifySignature()
        try signed.verifySigner(trust: trust)
        return signed.payload
    }

    /// The payload of a receipt of an enrolled key, after verification and the checks that do not depend on its age and its metric.
    package static func verified(
        _ bytes: [UInt8], of key: EnrolledKey, _ expectations: AppAttestExpectations
    ) throws(CheckFailure) -> Receipt {
        let receipt = try verified(bytes[...], trust: expectations.trust)
        let checks = ReceiptCheck(
            receipt: receipt, input: ReceiptInput(keyID: key.identifier.value, receipt: bytes), enrolled: key,
            expectations: expectations, now: receipt.creationTime)
        _ = try checks.appID()
        try checks.publicKey()
        _ = try checks.environment()
        return receipt
    }
}

extension CheckCode {
    fileprivate static let receiptAlgorithm = CheckCode(
        "receipt-algorithm", "The receipt is not signed with ECDSA over SHA-256 by a P-256 key, as all of Apple's are.")
    fileprivate static let receiptSignatureInvalid = CheckCode(
        "receipt-signature-invalid", "The signer did not sign this payload: the receipt was changed or invented.")
    fileprivate static let receiptSignedAttributes = CheckCode(
        "receipt-signed-attributes",
        "The signed attributes do not verify, as in all receipts of August and September 2020: attest a new key.")
    fileprivate static let receiptCertificateNotInPath = CheckCode(
        "receipt-certificate-not-in-path", "The receipt carries a certificate that its signer's path does not need.")
    fileprivate static let receiptSignerPurpose = CheckCode(
        "receipt-signer-purpose", "A certificate of Apple's signed the receipt that is not marked for receipts.")
}
