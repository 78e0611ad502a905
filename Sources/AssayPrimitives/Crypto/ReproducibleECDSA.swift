internal import COpenSSL

/// ECDSA signatures that are the same every time, for test evidence whose bytes have to be: OpenSSL's own, with random
/// numbers of its test provider in place of real ones.
///
/// swift-crypto's signatures differ each time, and OpenSSL offers those of RFC 6979 from 3.2 on only. The test numbers are
/// those of a library context that nothing else uses. OpenSSL hashes them with the key and the digest (BN_generate_dsa_nonce),
/// so that no two messages are signed with the same nonce. Nothing but test evidence is to be signed like this.
package enum ReproducibleECDSA {
    /// Signs a digest.
    ///
    /// - Parameters:
    ///   - digest: the digest of the message, which OpenSSL cuts to the length of the order.
    ///   - privateKey: an EC key in DER, PKCS #8 or SEC 1.
    /// - Returns: a DER ECDSA-Sig-Value, and nil when OpenSSL refuses the key or has no test provider.
    package static func sign(digest: [UInt8], privateKey: [UInt8]) -> [UInt8]? {
        guard let library = TestLibrary.shared, library.restart(), let key = SigningKey(privateKey, library)
        else { return nil }
        return key.signature(over: digest, library)
    }
}

/// Owns a library context whose random numbers are those of the test provider.
@safe private final class TestLibrary: @unchecked Sendable {
    static let shared = TestLibrary()

    /// The random numbers, as many as any signature takes.
    private static let numbers = [UInt8](repeating: 0x5A, count: 2048)

    fileprivate let pointer: OpaquePointer

    private init?() {
        guard let pointer = unsafe OSSL_LIB_CTX_new() else { return nil }
        guard unsafe RAND_set_DRBG_type(pointer, "TEST-RAND", nil, nil, nil) == 1 else {
            unsafe OSSL_LIB_CTX_free(pointer)
            return nil
        }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe OSSL_LIB_CTX_free(pointer)
    }

    /// Begins the random numbers of this thread anew.
    func restart() -> Bool {
        // The thread's own, which the library context frees.
        guard let source = unsafe RAND_get0_private(pointer) else { return false }
        var numbers = TestLibrary.numbers
        var strength: UInt32 = 256
        // The parameters keep the addresses, which are good only in here.
        return unsafe numbers.withUnsafeMutableBytes { numbers in
            unsafe withUnsafeMutablePointer(to: &strength) { strength in
                var parameters = unsafe [
                    assay_rand_test_entropy(numbers.baseAddress, numbers.count),
                    assay_rand_strength(strength),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_RAND_uninstantiate(source) == 1
                    && EVP_RAND_instantiate(source, strength.pointee, 0, nil, 0, &parameters) == 1
            }
        }
    }
}

/// Owns an EVP_PKEY.
@safe private struct SigningKey: ~Copyable {
    private let pointer: OpaquePointer

    init?(_ der: [UInt8], _ library: TestLibrary) {
        let key: OpaquePointer? = unsafe der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe d2i_AutoPrivateKey_ex(nil, &start, buffer.count, library.pointer, nil)
        }
        guard let key = unsafe key else { return nil }
        unsafe pointer = key
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    func signature(over digest: [UInt8], _ library: TestLibrary) -> [UInt8]? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(library.pointer, pointer, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(pointer)))
        var count = signature.count
        guard unsafe EVP_PKEY_sign_init(context) == 1,
            unsafe EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1
        else { return nil }
        return Array(signature.prefix(count))
    }
}
