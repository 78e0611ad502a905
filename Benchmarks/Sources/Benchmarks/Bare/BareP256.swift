import CBareOpenSSL

/// One P-256 verification by OpenSSL, with its key parsed, its digest fetched and its contexts made beforehand.
///
/// One at a time: contenders take turns.
final class BareP256: @unchecked Sendable {
    private let key: OpaquePointer
    private let digest: OpaquePointer
    private let context: OpaquePointer
    private let keyContext: OpaquePointer
    private let message: [UInt8]
    private let hash: [UInt8]
    private let signature: [UInt8]

    /// - Parameters:
    ///   - key: SubjectPublicKeyInfo in DER.
    ///   - hash: SHA-256 of the message.
    ///   - signature: in DER.
    init?(key der: [UInt8], message: [UInt8], hash: [UInt8], signature: [UInt8]) {
        let parsed = der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PUBKEY(nil, &position, buffer.count)
        }
        guard let key = parsed, let digest = EVP_MD_fetch(nil, "SHA256", nil), let context = EVP_MD_CTX_new(),
            let keyContext = EVP_PKEY_CTX_new(key, nil), EVP_PKEY_verify_init(keyContext) == 1
        else { return nil }
        self.key = key
        self.digest = digest
        self.context = context
        self.keyContext = keyContext
        self.message = message
        self.hash = hash
        self.signature = signature
    }

    deinit {
        EVP_PKEY_CTX_free(keyContext)
        EVP_MD_CTX_free(context)
        EVP_MD_free(digest)
        EVP_PKEY_free(key)
    }

    /// `EVP_DigestVerify`: the digest included, the context set up anew.
    func verifyMessage() -> Bool {
        EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// `EVP_PKEY_verify`: nothing but the verification of a digest, with a context that was set up once.
    func verifyHash() -> Bool { EVP_PKEY_verify(keyContext, signature, signature.count, hash, hash.count) == 1 }
}
