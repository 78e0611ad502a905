import AssayCore
import AssayPrimitives
import COpenSSL

extension FuzzTarget {
    /// CMS messages against OpenSSL, in one direction: if Assay parses a message, OpenSSL finds the same content,
    /// certificates, signer and signature.
    ///
    /// Declared difference: OpenSSL parses the certificates, the signer's name and the signed attributes together with
    /// the message; Assay parses them later. A message in which one of them is malformed is not compared.
    static let signedDataAndOpenSSL = FuzzTarget(
        name: "signed-data-openssl", maximumLength: 4096, dictionary: signedData.dictionary,
        // Without the last receipt, which has signed attributes.
        seeds: { try MintedSeeds.receipts().dropLast() },
        run: { input in
            defer { ERR_clear_error() }
            guard let message = try? SignedDataMessage(input[...]), !message.signer.hasSignedAttributes else {
                return false
            }
            let certificates = message.certificates.compactMap { try? Certificate(der: $0) }
            guard certificates.count == message.certificates.count,
                certificates.allSatisfy(OpenSSLCertificate.knowsAlgorithms),
                certificates.contains(where: { $0.issuer == message.signer.issuer })
            else { return false }
            guard let theirs = OpenSSLMessage(input) else { broken("taken apart here and refused by OpenSSL") }
            require(theirs.content == message.content, "two contents")
            require(theirs.certificates == message.certificates.map(Array.init), "other certificates")
            require(theirs.signature == message.signer.signature, "two signatures")
            require(theirs.issuer == Array(message.signer.issuer), "two issuers")
            require(theirs.serialNumber == Array(message.signer.serialNumber), "two serial numbers")
            return true
        })
}

/// The parts of a message as OpenSSL reads them.
private struct OpenSSLMessage {
    let content: [UInt8]
    let certificates: [[UInt8]]
    let signature: [UInt8]
    let issuer: [UInt8]
    let serialNumber: [UInt8]

    /// Nil if OpenSSL refuses the bytes, or if bytes follow the message.
    init?(_ bytes: [UInt8]) {
        var consumed = 0
        let message = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let message = d2i_CMS_ContentInfo(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor { consumed = cursor - start }
            return message
        }
        guard let message else { return nil }
        defer { CMS_ContentInfo_free(message) }
        guard consumed == bytes.count, assay_cms_signer_count(message) == 1,
            let signer = assay_cms_signer(message, 0)
        else { return nil }
        content = Self.bytes(CMS_get0_content(message).flatMap { UnsafePointer($0.pointee) })
        var (name, serial): (OpaquePointer?, UnsafeMutablePointer<ASN1_INTEGER>?)
        guard CMS_SignerInfo_get0_signer_id(signer, nil, &name, &serial) == 1 else { return nil }
        issuer = OpenSSLBytes.written { i2d_X509_NAME(name, &$0) } ?? []
        serialNumber = Array((OpenSSLBytes.written { i2d_ASN1_INTEGER(serial, &$0) } ?? []).dropFirst(2))
        signature = Self.bytes(UnsafePointer(CMS_SignerInfo_get0_signature(signer)))
        let stack = CMS_get1_certs(message)
        defer { if let stack { assay_x509_stack_free_all(stack) } }
        var certificates: [[UInt8]] = []
        if let stack {
            for index in 0..<assay_x509_stack_count(stack) {
                certificates.append(OpenSSLBytes.written { i2d_X509(assay_x509_stack_value(stack, index), &$0) } ?? [])
            }
        }
        self.certificates = certificates
    }

    private static func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        guard let string else { return [] }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
    }
}
