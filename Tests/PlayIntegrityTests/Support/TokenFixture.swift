import AssayPrimitives
import Crypto
import Foundation

/// The response keys of an app, and valid and invalid tokens made with them.
struct TokenFixture {
    let decryptionKey: SymmetricKey
    let signingKey: P256.Signing.PrivateKey

    init() {
        decryptionKey = SymmetricKey(size: .bits256)
        signingKey = P256.Signing.PrivateKey()
    }

    var decryptionBytes: [UInt8] { decryptionKey.withUnsafeBytes { Array($0) } }
    var verificationBytes: [UInt8] { Array(signingKey.publicKey.derRepresentation) }

    static func base64url(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(Array(bytes), .url) }

    /// A compact JWS with a payload, signed with ES256 whatever `header` says.
    func jws(_ payload: [UInt8], header: String = #"{"alg":"ES256"}"#) throws -> String {
        let input = "\(Self.base64url(header.utf8)).\(Self.base64url(payload))"
        let signature = try signingKey.signature(for: Data(input.utf8)).rawRepresentation
        return "\(input).\(Self.base64url(signature))"
    }

    /// A compact JWE with a plaintext, encrypted with A256KW and A256GCM whatever `header` says.
    func jwe(_ plaintext: String, header: String = #"{"alg":"A256KW","enc":"A256GCM"}"#) throws -> String {
        let contentKey = SymmetricKey(size: .bits256)
        let protected = Self.base64url(header.utf8)
        let box = try AES.GCM.seal(Data(plaintext.utf8), using: contentKey, authenticating: Data(protected.utf8))
        let wrapped = try AES.KeyWrap.wrap(contentKey, using: decryptionKey)
        return [
            protected, Self.base64url(wrapped), Self.base64url(box.nonce), Self.base64url(box.ciphertext),
            Self.base64url(box.tag),
        ].joined(separator: ".")
    }

    /// A token with a payload.
    func token(_ payload: [UInt8]) throws -> String { try jwe(jws(payload)) }
}
