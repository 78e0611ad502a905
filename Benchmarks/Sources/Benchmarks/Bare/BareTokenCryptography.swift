import CBareOpenSSL
import Crypto
import Foundation

/// The cryptography of a classic integrity token and nothing else: OpenSSL unwraps the content key and decrypts,
/// swift-crypto verifies. Keys are parsed, algorithms fetched, contexts made, and memory allocated beforehand.
///
/// One for each thread.
final class BareTokenCryptography {
    private let parts: ClassicTokenParts
    private let unwrapping: OpaquePointer
    private let decryption: OpaquePointer
    private let gcm: OpaquePointer
    private var contentKey = [UInt8](repeating: 0, count: 40)
    private var plaintext: [UInt8]

    /// Prepares for one token.
    init?(_ parts: ClassicTokenParts) {
        guard let wrap = EVP_CIPHER_fetch(nil, "AES-256-WRAP", nil),
            let gcm = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil),
            let unwrapping = EVP_CIPHER_CTX_new(), let decryption = EVP_CIPHER_CTX_new()
        else { return nil }
        EVP_CIPHER_CTX_set_flags(unwrapping, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        guard EVP_DecryptInit_ex2(unwrapping, wrap, parts.decryptionKey, nil, nil) == 1,
            EVP_DecryptInit_ex2(decryption, gcm, nil, nil, nil) == 1
        else { return nil }
        self.parts = parts
        self.unwrapping = unwrapping
        self.decryption = decryption
        self.gcm = gcm
        plaintext = [UInt8](repeating: 0, count: parts.ciphertext.count + 16)
    }

    deinit {
        EVP_CIPHER_CTX_free(unwrapping)
        EVP_CIPHER_CTX_free(decryption)
        EVP_CIPHER_free(gcm)
    }

    /// Opens and verifies the token once.
    func run() -> Bool {
        var length: Int32 = 0
        guard EVP_DecryptInit_ex2(unwrapping, nil, nil, nil, nil) == 1,
            EVP_DecryptUpdate(unwrapping, &contentKey, &length, parts.encryptedKey, Int32(parts.encryptedKey.count))
                == 1,
            length == 32,
            EVP_DecryptInit_ex2(decryption, nil, contentKey, parts.initializationVector, nil) == 1,
            EVP_DecryptUpdate(decryption, nil, &length, parts.additionalData, Int32(parts.additionalData.count)) == 1,
            EVP_DecryptUpdate(decryption, &plaintext, &length, parts.ciphertext, Int32(parts.ciphertext.count)) == 1
        else { return false }
        var tag = parts.tag
        guard EVP_CIPHER_CTX_ctrl(decryption, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1 else { return false }
        var rest = [UInt8](repeating: 0, count: 16)
        guard EVP_DecryptFinal_ex(decryption, &rest, &length) == 1 else { return false }
        return parts.verificationKey.isValidSignature(parts.signature, for: parts.signingInput)
    }
}

/// A classic integrity token, taken apart, with its keys.
struct ClassicTokenParts: Sendable {
    let decryptionKey: [UInt8]
    let encryptedKey: [UInt8]
    let initializationVector: [UInt8]
    let additionalData: [UInt8]
    let ciphertext: [UInt8]
    let tag: [UInt8]
    let verificationKey: P256.Signing.PublicKey
    let signingInput: Data
    let signature: P256.Signing.ECDSASignature
}
