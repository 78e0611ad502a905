import AssayCore

/// A public or private key of a key pair in place of a secret. Random secrets do not have its form.
enum KeyPairHalf {
    /// A SubjectPublicKeyInfo (RFC 5280 section 4.1), or an uncompressed point of P-256 or P-384 (SEC 1 section 2.3.3).
    case publicKey
    /// A PrivateKeyInfo (RFC 5208 section 5, RFC 5958 section 2) or an ECPrivateKey (RFC 5915 section 3).
    case privateKey

    /// Recognises a key by its form; nil for other bytes.
    init?(of secret: SecretBytes) {
        var bytes = secret.withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        if Self.isSubjectPublicKeyInfo(bytes) || Self.isPoint(bytes) {
            self = .publicKey
        } else if Self.isPrivateKey(bytes) {
            self = .privateKey
        } else {
            return nil
        }
    }

    private static func isSubjectPublicKeyInfo(_ bytes: [UInt8]) -> Bool {
        func check() throws(DecodeError) {
            var info = try DERReader.single(.sequence, in: bytes[...]).reader
            var algorithm = try info.readConstructed(.sequence)
            _ = try ObjectIdentifier(algorithm.read(.objectIdentifier))
            _ = try info.read(.bitString)
            try info.finish()
        }
        return (try? check()) != nil
    }

    /// Checks first byte and length before the curve check, which copies the bytes. Random bytes rarely pass.
    private static func isPoint(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == 4, bytes.count == 65 || bytes.count == 97 else { return false }
        return (try? ECDSAPublicKey(x963: bytes, curve: bytes.count == 65 ? .p256 : .p384)) != nil
    }

    private static func isPrivateKey(_ bytes: [UInt8]) -> Bool {
        func check() throws(DecodeError) {
            var key = try DERReader.single(.sequence, in: bytes[...]).reader
            _ = try key.read(.integer).integer()
            // Only an ECPrivateKey lacks the algorithm.
            if var algorithm = try key.readIfPresent(.sequence)?.reader {
                _ = try ObjectIdentifier(algorithm.read(.objectIdentifier))
            }
            _ = try key.read(.octetString)
            while !key.isAtEnd { _ = try key.read() }
        }
        return (try? check()) != nil
    }
}
