internal import COpenSSL

/// Owns an EVP_PKEY that is an RSA key.
@safe final class RSAKeyHandle: @unchecked Sendable {
    // Unchecked: threads may share an EVP_PKEY that does not change.
    fileprivate let pointer: OpaquePointer

    /// Takes ownership of a key. Frees it and returns nil if its type is not rsaEncryption.
    fileprivate init?(takingOwnershipOf pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
        guard unsafe EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA else { return nil }
    }

    /// Reads a SubjectPublicKeyInfo. Returns nil unless it is the canonical encoding of its key.
    convenience init?(subjectPublicKeyInfo info: ArraySlice<UInt8>) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        var consumed = 0
        let pointer = unsafe info.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let pointer = unsafe d2i_PUBKEY(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor = unsafe cursor { consumed = unsafe cursor - start }
            return unsafe pointer
        }
        unsafe self.init(takingOwnershipOf: pointer)
        guard consumed == info.count, subjectPublicKeyInfo.elementsEqual(info) else { return nil }
    }

    /// The DER SubjectPublicKeyInfo; empty if OpenSSL cannot write it.
    var subjectPublicKeyInfo: [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PUBKEY(pointer, &output)
        defer { unsafe assay_free(output) }
        guard count > 0, let output = unsafe output else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: output, count: Int(count)))
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }
}

extension RSAKeyHandle {
    /// The result of reading a private key.
    enum PrivateKeyReading {
        case read(RSAKeyHandle)
        case otherKind
        case unreadable
        /// The key is encrypted, and the passphrase is missing or wrong.
        case passphraseRefused
    }

    /// Reads the first private key of a PEM text. Never prompts for a passphrase.
    static func read(pem: SecretBytes, passphrase: SecretBytes?) -> PrivateKeyReading {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let prompt = PassphraseAnswer(passphrase)
        let pointer = unsafe pem.withUnsafeBytes { text -> OpaquePointer? in
            guard let count = Int32(exactly: text.count), let bio = unsafe BIO_new_mem_buf(text.baseAddress, count)
            else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe withExtendedLifetime(prompt) {
                unsafe PEM_read_bio_PrivateKey(
                    bio, nil,
                    { buffer, size, _, context in
                        guard let buffer = unsafe buffer, let context = unsafe context else { return -1 }
                        return unsafe Unmanaged<PassphraseAnswer>.fromOpaque(context).takeUnretainedValue()
                            .write(to: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
                    }, Unmanaged.passUnretained(prompt).toOpaque())
            }
        }
        guard unsafe pointer != nil else { return prompt.wasAsked ? .passphraseRefused : .unreadable }
        guard let handle = unsafe RSAKeyHandle(takingOwnershipOf: pointer) else { return .otherKind }
        return .read(handle)
    }
}

/// Supplies the passphrase to OpenSSL's callback.
private final class PassphraseAnswer {
    private let passphrase: SecretBytes?
    private(set) var wasAsked = false

    init(_ passphrase: SecretBytes?) { self.passphrase = passphrase }

    /// Writes the passphrase. Returns its length, or -1 if there is none or it does not fit.
    func write(to buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        wasAsked = true
        guard let passphrase, passphrase.count <= buffer.count else { return -1 }
        unsafe passphrase.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        return Int32(passphrase.count)
    }
}

/// An operation set up once for a key and duplicated for each use, which avoids look-ups under a lock.
@safe final class RSAOperation: @unchecked Sendable {
    enum Kind {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case verify
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case sign
        /// RSAES-OAEP with SHA-1 and MGF1 with SHA-1.
        case decryptOAEP
    }

    // Unchecked: after initialisation, only EVP_PKEY_CTX_dup reads it.
    private let template: OpaquePointer

    init?(_ kind: Kind, _ key: RSAKeyHandle) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return nil }
        unsafe template = context
        let isReady =
            switch kind {
            case .verify: unsafe EVP_PKEY_verify_init(context) == 1 && RSAOperation.setPKCS1(context)
            case .sign: unsafe EVP_PKEY_sign_init(context) == 1 && RSAOperation.setPKCS1(context)
            case .decryptOAEP: unsafe EVP_PKEY_decrypt_init(context) == 1 && RSAOperation.setOAEP(context)
            }
        guard isReady else { return nil }
    }

    private static func setPKCS1(_ context: OpaquePointer) -> Bool {
        unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
    }

    private static func setOAEP(_ context: OpaquePointer) -> Bool {
        unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha1()) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha1()) == 1
    }

    private func withCopy<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        guard let context = unsafe EVP_PKEY_CTX_dup(template) else { preconditionFailure("out of memory") }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            // An invalid signature leaves an entry in the error queue.
            OpenSSLErrors.clear()
        }
        return unsafe body(context)
    }

    /// Whether a signature over a digest is valid.
    func verify(_ signature: [UInt8], digest: [UInt8]) -> Bool {
        unsafe withCopy { unsafe EVP_PKEY_verify($0, signature, signature.count, digest, digest.count) == 1 }
    }

    /// Signs a digest. Returns nil if OpenSSL fails.
    func sign(digest: [UInt8], length: Int) -> [UInt8]? {
        unsafe withCopy { context in
            var signature = [UInt8](repeating: 0, count: length)
            var count = length
            let isSigned = unsafe EVP_PKEY_sign(context, &signature, &count, digest, digest.count)
            return isSigned == 1 && count == length ? signature : nil
        }
    }

    /// Decrypts. Returns nil if the ciphertext is for another key or was changed.
    func decrypt(_ ciphertext: [UInt8], length: Int) -> SecretBytes? {
        unsafe withCopy { context in
            var count = length
            var isDecrypted: Int32 = 0
            let padded = unsafe SecretBytes(count: length) { buffer in
                isDecrypted = unsafe EVP_PKEY_decrypt(
                    context, buffer.assumingMemoryBound(to: UInt8.self).baseAddress, &count, ciphertext,
                    ciphertext.count)
            }
            guard isDecrypted == 1, count <= length else { return nil }
            return unsafe padded.withUnsafeBytes { unsafe SecretBytes($0.prefix(count)) }
        }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(template)
    }
}
