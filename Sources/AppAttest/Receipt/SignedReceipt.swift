import AssayCore
import AssayPrimitives

/// A decoded receipt, and the verification of its signature, for receipts in attestations and refreshed ones.
struct SignedReceipt: Sendable {
    private let bytes: ArraySlice<UInt8>
    private let message: SignedDataMessage
    private let certificates: [Certificate]
    private let signer: Certificate
    /// The payload. Trust it only after ``verifySignature()`` and ``verifySigner(trust:)`` have passed.
    let payload: Receipt

    /// 1.2.840.113635.100.12.15: the certificate may sign App Attest receipts.
    private static let receiptMarker = ObjectIdentifier(1, 2, 840, 113635, 100, 12, 15)
    private static let sha256 = ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 2, 1)
    private static let ecdsaWithSHA256 = ObjectIdentifier(1, 2, 840, 10045, 4, 3, 2)

    /// Decodes a receipt: a CMS message with one signer whose certificate is there, and the payload.
    ///
    /// - Parameter authorities: the validator that caches the certificates of verified signers.
    init(_ bytes: ArraySlice<UInt8>, authorities: CertificatePathValidator) throws(DecodeError) {
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
        self.message = message
        self.certificates = certificates
        self.signer = signer
        do {
            payload = try Receipt(payload: message.content)
        } catch {
            throw error.within("payload")
        }
    }

    /// The signature is the signer's, over the content.
    ///
    /// Receipts have no signed attributes, so the signature goes over the content itself (RFC 5652 section 5.4) and is
    /// verified here: handing the message to OpenSSL costs more than the rest of an attestation, as it decodes the key
    /// of each of three certificates. Should Apple begin to sign attributes, OpenSSL is there for it.
    func verifySignature() throws(CheckFailure) {
        guard !message.signer.hasSignedAttributes else { return try verifySignedAttributes() }
        guard message.signer.digestAlgorithm == SignedReceipt.sha256,
            message.signer.signatureAlgorithm == SignedReceipt.ecdsaWithSHA256
        else {
            let found = message.signer.signatureAlgorithm
            throw CheckFailure(
                "receipt-algorithm", "expected ecdsa-with-SHA256 over SHA-256, found signature algorithm \(found)")
        }
        guard let key = try? signer.publicKey(), key.curve == .p256 else {
            throw CheckFailure("receipt-algorithm", "the signer's key is no P-256 key")
        }
        guard key.isValidSignature(der: message.signer.signature[...], for: message.content[...], digest: .sha256)
        else {
            throw CheckFailure("receipt-signature-invalid", "the signer did not sign this payload")
        }
    }

    private func verifySignedAttributes() throws(CheckFailure) {
        switch CMSSignedData.verify(bytes, detachedContent: nil) {
        case .success(let verified)
        where verified.content == message.content
            && verified.signer.elementsEqual(signer.der):
            return
        case .success:
            throw CheckFailure("receipt-signature-invalid", "the message has two readings")
        case .failure(let failure):
            throw CheckFailure(
                "receipt-signed-attributes",
                "the signed attributes do not verify (\(failure.detail)); receipts of August and September 2020 carry "
                    + "attributes that their signature does not cover")
        }
    }

    /// The signer's certificate leads to the root, was valid when the receipt was made, and may sign receipts.
    ///
    /// The path is validated at field 12 of the payload, not at the time of judgement, since signers expire long before keys.
    /// A forged time needs a signature by one of Apple's certificates.
    func verifySigner(trust: AppAttestTrust) throws(CheckFailure) {
        let intermediates = certificates.filter { $0 != signer }
        let path = trust.receipts.validate(
            signer, intermediates: intermediates, at: payload.creationTime, rememberLeaf: true)
        switch path {
        case .failure(let failure): throw CheckFailure(failure)
        case .success(let path):
            // The set of certificates is not signed: refuse any that is not on the path, so that it cannot hide bytes.
            guard certificates.allSatisfy(path.chain.contains) else {
                throw CheckFailure(
                    "receipt-certificate-not-in-path",
                    "the receipt carries a certificate that is not on the signer's path")
            }
        }
        guard signer.extension(SignedReceipt.receiptMarker) != nil else {
            throw CheckFailure(
                "receipt-signer-purpose",
                "the signer's certificate is not marked for receipts (1.2.840.113635.100.12.15)")
        }
    }
}

extension Receipt {
    /// The payload of a receipt that verifies.
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
}
