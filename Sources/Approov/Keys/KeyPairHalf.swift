import AssayCore
import AssayPrimitives

/// What bytes are that stand where a secret belongs, and are a key of a key pair. No secret that was drawn at random looks
/// like one.
enum KeyPairHalf {
    /// A SubjectPublicKeyInfo (RFC 5280 section 4.1).
    case publicKey
    /// A PrivateKeyInfo (RFC 5208 section 5, RFC 5958 section 2) or an ECPrivateKey (RFC 5915 section 3).
    case privateKey

    /// Recognises a key by its form; nil for anything else.
    init?(of secret: SecretBytes) {
        var bytes = secret.withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        if Self.isSubjectPublicKeyInfo(bytes) {
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

    private static func isPrivateKey(_ bytes: [UInt8]) -> Bool {
        func check() throws(DecodeError) {
            var key = try DERReader.single(.sequence, in: bytes[...]).reader
            _ = try key.read(.integer).integer()
            // Only an ECPrivateKey has none.
            if var algorithm = try key.readIfPresent(.sequence)?.reader {
                _ = try ObjectIdentifier(algorithm.read(.objectIdentifier))
            }
            _ = try key.read(.octetString)
            while !key.isAtEnd { _ = try key.read() }
        }
        return (try? check()) != nil
    }
}
