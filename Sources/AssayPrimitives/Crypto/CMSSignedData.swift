internal import COpenSSL

/// Verifies CMS SignedData (RFC 5652 section 5) with OpenSSL: BER or DER, with or without signed attributes.
package enum CMSSignedData {
    /// A message with a valid signature. The signer's certificate is not validated; use ``CertificatePathValidator``.
    package struct Verified: Sendable {
        /// The signed content.
        package let content: [UInt8]
        /// The signer's certificate, in DER.
        package let signer: [UInt8]
        /// All certificates of the message, in DER, including the signer's.
        package let certificates: [[UInt8]]
    }

    /// Verifies a message that has one signer and contains its certificate.
    /// - Parameters:
    ///   - message: a ContentInfo of type SignedData and nothing after it, at most ``InputLimits/receipt`` bytes.
    ///   - detachedContent: the signed content if the message does not contain it; otherwise nil.
    package static func verify(
        _ message: ArraySlice<UInt8>, detachedContent: [UInt8]? = nil
    ) -> Result<Verified, CMSFailure> {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        do throws(CMSFailure) {
            guard message.count <= InputLimits.receipt else { throw CMSFailure.tooLarge(count: message.count) }
            let handle = try CMSHandle(message)
            try handle.checkForm(isDetached: detachedContent != nil)
            let content = try handle.verify(detachedContent: detachedContent)
            return .success(
                Verified(content: content, signer: try handle.signer(), certificates: try handle.certificates()))
        } catch {
            return .failure(error)
        }
    }
}

/// Owns a CMS_ContentInfo.
@safe private final class CMSHandle {
    private let pointer: OpaquePointer

    init(_ message: ArraySlice<UInt8>) throws(CMSFailure) {
        var consumed = 0
        let pointer = unsafe message.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let pointer = unsafe d2i_CMS_ContentInfo(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor = unsafe cursor { consumed = unsafe cursor - start }
            return unsafe pointer
        }
        guard let pointer = unsafe pointer else { throw .malformed(OpenSSLErrors.drain()) }
        unsafe self.pointer = pointer
        guard consumed == message.count else {
            throw .malformed("\(message.count - consumed) bytes follow the message")
        }
    }

    /// Checks the type, whether the content is detached, that there is one signer, and its algorithms.
    func checkForm(isDetached: Bool) throws(CMSFailure) {
        guard unsafe OBJ_obj2nid(CMS_get0_type(pointer)) == NID_pkcs7_signed else { throw .notSignedData }
        let found = unsafe CMS_is_detached(pointer) != 0
        guard found == isDetached else { throw .detachedContent(isExpected: isDetached) }
        let count = Int(unsafe assay_cms_signer_count(pointer))
        guard count == 1, let signer = unsafe assay_cms_signer(pointer, 0) else { throw .signers(count: count) }

        var digest: UnsafeMutablePointer<X509_ALGOR>?
        var signature: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(signer, nil, nil, &digest, &signature)
        try unsafe check(digest, isAmong: CMSAlgorithms.digests)
        try unsafe check(signature, isAmong: CMSAlgorithms.signatures)
    }

    private func check(
        _ algorithm: UnsafeMutablePointer<X509_ALGOR>?, isAmong allowed: Set<Int32>
    ) throws(CMSFailure) {
        let identifier = unsafe algorithm.map { unsafe OBJ_obj2nid($0.pointee.algorithm) } ?? NID_undef
        guard allowed.contains(identifier) else {
            throw .forbiddenAlgorithm(unsafe OBJ_nid2sn(identifier).map { unsafe String(cString: $0) } ?? "none")
        }
    }

    /// Verifies the signature, and the digest in any signed attributes. Returns the content.
    func verify(detachedContent: [UInt8]?) throws(CMSFailure) -> [UInt8] {
        guard let output = MemoryBIO(), let input = MemoryBIO(containing: detachedContent ?? []) else {
            throw .openssl(OpenSSLErrors.drain())
        }
        let content = unsafe detachedContent == nil ? nil : input.pointer
        // The caller validates the certificate. Without CMS_NO_ATTR_VERIFY, OpenSSL verifies the signed attributes.
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        let isVerified = unsafe CMS_verify(pointer, nil, nil, content, output.pointer, flags)
        guard isVerified == 1 else { throw .badSignature(OpenSSLErrors.drain()) }
        return output.bytes
    }

    /// The certificate that verified the signature.
    func signer() throws(CMSFailure) -> [UInt8] {
        guard let stack = unsafe CMS_get0_signers(pointer) else { throw .signers(count: 0) }
        defer { unsafe assay_x509_stack_free(stack) }
        let count = Int(unsafe assay_x509_stack_count(stack))
        guard count == 1 else { throw .signers(count: count) }
        return try unsafe encoding(of: assay_x509_stack_value(stack, 0))
    }

    /// The certificates of the message.
    func certificates() throws(CMSFailure) -> [[UInt8]] {
        guard let stack = unsafe CMS_get1_certs(pointer) else { return [] }
        defer { unsafe assay_x509_stack_free_all(stack) }
        var certificates: [[UInt8]] = []
        for index in 0..<(unsafe assay_x509_stack_count(stack)) {
            certificates.append(try unsafe encoding(of: assay_x509_stack_value(stack, index)))
        }
        return certificates
    }

    private func encoding(of certificate: OpaquePointer?) throws(CMSFailure) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509(certificate, &output)
        defer { unsafe assay_free(output) }
        guard count > 0, let output = unsafe output else { throw .openssl(OpenSSLErrors.drain()) }
        return unsafe Array(UnsafeBufferPointer(start: output, count: Int(count)))
    }

    deinit {
        unsafe CMS_ContentInfo_free(pointer)
    }
}

/// Owns a memory BIO.
@safe private final class MemoryBIO {
    fileprivate let pointer: OpaquePointer

    init?(containing bytes: [UInt8] = []) {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { return nil }
        unsafe self.pointer = pointer
        var written = 0
        guard !bytes.isEmpty else { return }
        let isWritten = unsafe BIO_write_ex(pointer, bytes, bytes.count, &written)
        guard isWritten == 1, written == bytes.count else { return nil }
    }

    /// The bytes written to it and not read yet.
    var bytes: [UInt8] {
        var contents: UnsafeMutablePointer<CChar>?
        let count = unsafe assay_bio_contents(pointer, &contents)
        guard count > 0, let contents = unsafe contents else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: contents, count: count))
    }

    deinit {
        unsafe BIO_free(pointer)
    }
}

/// The allowed algorithms of a signer, as OpenSSL NIDs.
private enum CMSAlgorithms {
    static let digests: Set<Int32> = [NID_sha256, NID_sha384, NID_sha512]
    static let signatures: Set<Int32> = [
        NID_ecdsa_with_SHA256, NID_ecdsa_with_SHA384, NID_ecdsa_with_SHA512, NID_rsaEncryption,
        NID_sha256WithRSAEncryption, NID_sha384WithRSAEncryption, NID_sha512WithRSAEncryption,
    ]
}
