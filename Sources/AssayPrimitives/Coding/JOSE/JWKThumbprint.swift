/// The thumbprint of a public key of P-256 (RFC 7638 with SHA-256), by which `kid` and `jkt` name it.
package enum JWKThumbprint {
    /// The number of characters of a thumbprint.
    package static let length = 43

    /// The thumbprint: 43 characters of base64url without padding.
    /// - Parameter point: the uncompressed point, 65 bytes.
    package static func p256(_ point: [UInt8]) -> String {
        let (x, y) = coordinates(point)
        return Base64.encode(
            Digest.sha256(Array(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8)), .url)
    }

    /// The coordinates of a point as a JSON Web Key has them (RFC 7518 section 6.2.1).
    package static func coordinates(_ point: [UInt8]) -> (x: String, y: String) {
        (Base64.encode(point.dropFirst().prefix(32), .url), Base64.encode(point.dropFirst(33).prefix(32), .url))
    }

    /// Whether a text has the form of a thumbprint: canonical base64url of 32 bytes.
    package static func isThumbprint(_ text: String) -> Bool {
        text.utf8.count == length && (try? Base64.decode(text, .url))?.count == 32
    }
}
