import AssayCore
import AssayPrimitives
import Crypto
import Foundation

/// Makes tokens like Google's. Every part can be changed. The keys are constant: failures are reproducible.
struct TokenFixture {
    static let secret = [UInt8](0..<32)
    static let wrappingKey = SecretBytes(secret)
    static let contentKey = [UInt8](100..<132)
    static let nonce = [UInt8](200..<212)
    static let signingKey = try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](1...32))

    /// The key that verifies the output of ``signed(_:header:)``.
    static func verificationKey() throws -> ECDSAPublicKey {
        let point = signingKey?.publicKey.x963Representation ?? Data()
        return try ECDSAPublicKey(x963: point, curve: .p256)
    }

    static func url(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(Array(bytes), .url) }

    static func url(_ text: String) -> String { url(text.utf8) }

    /// The five parts of a JWE of A256KW and A256GCM.
    static func encrypted(
        _ plaintext: [UInt8], header: String = #"{"alg":"A256KW","enc":"A256GCM"}"#
    ) throws -> [String] {
        let wrapped = try AES.KeyWrap.wrap(
            SymmetricKey(data: contentKey), using: SymmetricKey(data: TokenFixture.secret))
        let box = try AES.GCM.seal(
            plaintext, using: SymmetricKey(data: contentKey), nonce: AES.GCM.Nonce(data: nonce),
            authenticating: Array(url(header).utf8))
        return [url(header), url(wrapped), url(nonce), url(box.ciphertext), url(box.tag)]
    }

    /// The five parts of a JWE of A256GCMKW and A256GCM.
    static func gcmEncrypted(_ plaintext: [UInt8]) throws -> [String] {
        let wrapped = try AES.GCM.seal(
            contentKey, using: SymmetricKey(data: TokenFixture.secret), nonce: AES.GCM.Nonce(data: nonce.reversed()))
        let header =
            #"{"alg":"A256GCMKW","enc":"A256GCM","iv":"\#(url(nonce.reversed()))","tag":"\#(url(wrapped.tag))"}"#
        var parts = try encrypted(plaintext, header: header)
        parts[1] = url(wrapped.ciphertext)
        return parts
    }

    /// The three parts of a JWS of ES256.
    static func signed(_ payload: String, header: String = #"{"alg":"ES256"}"#) throws -> [String] {
        let input = url(header) + "." + url(payload)
        let signature = try signingKey?.signature(for: Array(input.utf8)).rawRepresentation
        return [url(header), url(payload), url(signature ?? Data())]
    }

    /// The three parts of a JWS of HS256 under ``secret``.
    static func authenticated(_ payload: String, header: String = #"{"alg":"HS256"}"#) -> [String] {
        let input = url(header) + "." + url(payload)
        let tag = Crypto.HMAC<SHA256>.authenticationCode(
            for: Array(input.utf8), using: SymmetricKey(data: TokenFixture.secret))
        return [url(header), url(payload), url(tag)]
    }

    /// The compact serialisation of parts.
    static func compact(_ parts: [String]) -> [UInt8] { Array(parts.joined(separator: ".").utf8) }
}

/// The JOSE error that a closure throws; nil if it succeeds.
func joseError(_ body: () throws -> Void) -> JOSEError? {
    do {
        try body()
        return nil
    } catch {
        return error as? JOSEError ?? JOSEError(JOSEError.Code("foreign", ""), "\(error)")
    }
}
