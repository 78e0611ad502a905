import Crypto
import FoundationEssentials

/// A compact JWE (RFC 7516 section 7.1) to be minted, with AES-GCM for the content. As initialised it is a good one;
/// every part can be changed first.
package struct JWEBlueprint: Sendable {
    /// How the content key is handed over, whatever the header says.
    package enum KeyManagement: Sendable {
        /// AES key wrap (RFC 7518 section 4.4) under 16, 24 or 32 bytes.
        case keyWrap([UInt8])
        /// AES-GCM key wrap (RFC 7518 section 4.7) under 16, 24 or 32 bytes with an IV; the header gets IV and tag.
        case gcmKeyWrap([UInt8], initializationVector: [UInt8])
        /// The content key is the shared one, and the encrypted key is empty (RFC 7518 section 4.5).
        case direct
    }

    /// The protected header.
    package var header: JSONItem
    /// What is encrypted.
    package var plaintext: [UInt8]
    /// How the content key is handed over.
    package var keyManagement: KeyManagement
    /// The content key: 32 bytes for A256GCM, 16 for A128GCM.
    package var contentKey: [UInt8]
    /// The IV: 12 bytes, and more where the standard is to be broken.
    package var initializationVector: [UInt8]
    /// A last change to the encoded header. It is the result that is authenticated.
    package var changeHeader: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the encrypted key.
    package var changeEncryptedKey: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the IV, after encryption.
    package var changeInitializationVector: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the ciphertext.
    package var changeCiphertext: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the tag.
    package var changeTag: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the five base64url texts.
    package var changeParts: @Sendable (inout [String]) -> Void = { _ in }

    /// The blueprint of a good JWE, whose header names the algorithms.
    ///
    /// - Parameters:
    ///   - contentKey: nil for a random one of 32 bytes.
    ///   - initializationVector: nil for a random one of 12 bytes.
    package init(
        plaintext: [UInt8], keyManagement: KeyManagement, contentKey: [UInt8]? = nil,
        initializationVector: [UInt8]? = nil
    ) {
        self.plaintext = plaintext
        self.keyManagement = keyManagement
        self.contentKey = contentKey ?? SymmetricKey(size: .bits256).bytes
        self.initializationVector = initializationVector ?? Array(AES.GCM.Nonce())
        header = [
            "alg": .text(keyManagement.algorithm), "enc": .text("A\(self.contentKey.count * 8)GCM"),
        ]
    }

    /// Mints the JWE.
    package func mint() throws(MintingError) -> String {
        var header = header
        let encryptedKey: [UInt8]
        switch keyManagement {
        case .keyWrap(let key):
            encryptedKey = try Self.doing("the content key cannot be wrapped") {
                Array(
                    try AES.KeyWrap.wrap(SymmetricKey(data: contentKey), using: SymmetricKey(data: key)))
            }
        case .gcmKeyWrap(let key, let initializationVector):
            let sealed = try Self.seal(contentKey, key: key, initializationVector, additionalData: [])
            header["iv"] = header["iv"] ?? .text(Base64URL.text(initializationVector))
            header["tag"] = header["tag"] ?? .text(Base64URL.text(sealed.tag))
            encryptedKey = sealed.ciphertext
        case .direct:
            encryptedKey = []
        }
        let protected = Base64URL.text(changeHeader(header.encoded))
        let sealed = try Self.seal(
            plaintext, key: contentKey, initializationVector, additionalData: Array(protected.utf8))
        var parts = [
            protected, Base64URL.text(changeEncryptedKey(encryptedKey)),
            Base64URL.text(changeInitializationVector(initializationVector)),
            Base64URL.text(changeCiphertext(sealed.ciphertext)), Base64URL.text(changeTag(sealed.tag)),
        ]
        changeParts(&parts)
        return parts.joined(separator: ".")
    }

    private static func seal(
        _ plaintext: [UInt8], key: [UInt8], _ initializationVector: [UInt8], additionalData: [UInt8]
    ) throws(MintingError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let sealed = try doing("the content cannot be encrypted") {
            try AES.GCM.seal(
                plaintext, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: initializationVector),
                authenticating: additionalData)
        }
        return (Array(sealed.ciphertext), Array(sealed.tag))
    }

    private static func doing<Result>(_ what: String, _ body: () throws -> Result) throws(MintingError) -> Result {
        do {
            return try body()
        } catch {
            throw MintingError("\(what): \(error)")
        }
    }
}

extension JWEBlueprint.KeyManagement {
    /// The name of the algorithm (RFC 7518 section 4.1).
    package var algorithm: String {
        switch self {
        case .keyWrap(let key): "A\(key.count * 8)KW"
        case .gcmKeyWrap(let key, _): "A\(key.count * 8)GCMKW"
        case .direct: "dir"
        }
    }
}
