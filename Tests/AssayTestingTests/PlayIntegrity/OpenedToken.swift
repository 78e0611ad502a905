import AssayTesting
import Crypto
import Foundation

/// A classic token taken apart with swift-crypto alone: written apart from the code that mints and from the code that
/// judges, so that a mistake there cannot hide itself.
struct OpenedToken {
    let encryptionHeader: String
    let initializationVector: [UInt8]
    let contentKey: [UInt8]
    let header: String
    let payload: [UInt8]
    let signature: [UInt8]

    /// Nil when the token is not in the right form or the keys do not fit.
    init?(_ token: String, keys: PlayIntegrityTestKeys) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, let header = Self.data(parts[0]), let wrapped = Self.data(parts[1]),
            let iv = Self.data(parts[2]), let ciphertext = Self.data(parts[3]), let tag = Self.data(parts[4]),
            let contentKey = try? AES.KeyWrap.unwrap(wrapped, using: SymmetricKey(data: keys.decryptionKey)),
            let box = try? AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: iv), ciphertext: ciphertext, tag: tag),
            let signed = try? AES.GCM.open(box, using: contentKey, authenticating: Data(parts[0].utf8))
        else { return nil }
        encryptionHeader = String(decoding: header, as: UTF8.self)
        initializationVector = Array(iv)
        self.contentKey = contentKey.withUnsafeBytes { Array($0) }
        let inner = String(decoding: signed, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        guard inner.count == 3, let innerHeader = Self.data(inner[0]), let payload = Self.data(inner[1]),
            let signature = Self.data(inner[2]),
            let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            let key = try? P256.Signing.PublicKey(x963Representation: keys.signingKey.publicPoint),
            key.isValidSignature(value, for: Data("\(inner[0]).\(inner[1])".utf8))
        else { return nil }
        self.header = String(decoding: innerHeader, as: UTF8.self)
        self.payload = Array(payload)
        self.signature = Array(signature)
    }

    private static func data(_ text: Substring) -> Data? {
        guard !text.contains("="), !text.contains("+"), !text.contains("/") else { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
