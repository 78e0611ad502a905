import Crypto

/// A compact JWE (RFC 7516 section 7.1) with AES-GCM to mint. Initially valid; change any part before minting.
package struct JWEBlueprint: Sendable {
    /// The management of the content key. It is independent of the header.
    package enum KeyManagement: Sendable {
        /// AES key wrap (RFC 7518 section 4.4) under 16, 24 or 32 bytes.
        case keyWrap([UInt8])
        /// AES-GCM key wrap (RFC 7518 section 4.7) under 16, 24 or 32 bytes with an IV. The header gets IV and tag.
        case gcmKeyWrap([UInt8], initializationVector: [UInt8])
        /// Direct encryption (RFC 7518 section 4.5): the content key is the shared key, and the encrypted key is empty.
        case direct
    }

    package var header: JSONItem
    package var plaintext: [UInt8]
    /// The management of the content key.
    package var keyManagement: KeyManagement
    /// The content key: 32 bytes for A256GCM, 16 for A128GCM.
    package var contentKey: [UInt8]
    /// The IV. The standard demands 12 bytes; any number is possible.
    package var initializationVector: [UInt8]
    /// A last change to the encoded header, before encryption authenticates it.
    package var changeHeader: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the encrypted key.
    package var changeEncryptedKey: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A change to the IV, after encryption.
    package var changeInitializationVector: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the ciphertext.
    package var changeCiphertext: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the tag.
    package var changeTag: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the five base64url texts.
    package var changeParts: @Sendable (inout [String]) -> Void = { _ in }

    /// Creates the blueprint of a valid JWE. Nil means a random content key (32 bytes) or IV (12 bytes).
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
