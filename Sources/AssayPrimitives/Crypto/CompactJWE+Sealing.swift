extension CompactJWE {
    /// Encrypts for the holder of a key: a compact JWE with `ECDH-ES` on P-256 (RFC 7518 section 4.6) and `A256GCM`. It
    /// opens with ``JWEKey/ecdhES(_:)``. Anyone with the public key can make such a JWE: it does not authenticate its
    /// sender.
    ///
    /// - Parameters:
    ///   - point: the uncompressed point of the recipient's key, 65 bytes.
    ///   - type: `typ`, of characters that JSON does not escape.
    /// - Throws: ``DecodeError`` for a point that is not on P-256.
    package static func seal(
        _ plaintext: SecretBytes, for point: [UInt8], type: String
    ) throws(DecodeError) -> String {
        // A new key for each JWE: it determines the content key.
        let ephemeralKey = AgreementPrivateKey()
        let nonce = (0..<AESGCM.nonceLength).map { _ in UInt8.random(in: .min ... .max) }
        let contentKey = ConcatKDF.derive(
            try ephemeralKey.sharedSecret(with: point), algorithm: JWEKey.contentEncryption, length: AESGCM.keyLength)
        let ephemeral = ephemeralKey.publicPoint
        let (x, y) = (Base64.encode(ephemeral[1..<33], .url), Base64.encode(ephemeral[33...], .url))
        let header =
            #"{"alg":"ECDH-ES","enc":"\#(JWEKey.contentEncryption)","epk":{"kty":"EC","crv":"P-256","x":"\#(x)","#
            + #""y":"\#(y)"},"typ":"\#(type)"}"#
        let protected = Base64.encode(Array(header.utf8), .url)
        let sealed = try AESGCM.seal(
            plaintext, key: contentKey, nonce: nonce, additionalData: Array(protected.utf8)[...])
        return [
            protected, "", Base64.encode(nonce, .url), Base64.encode(sealed.ciphertext, .url),
            Base64.encode(sealed.tag, .url),
        ].joined(separator: ".")
    }
}
