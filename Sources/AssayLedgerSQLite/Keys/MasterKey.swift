public import AssayCore
import AssayPrimitives

/// The key under which a key store is sealed: 32 random bytes, kept apart from the store.
public struct MasterKey: Sendable {
    /// How to make one, as a shell command that leaves it readable for its user alone.
    public static let recipe = "(umask 077; openssl rand -base64 32 >master.key)"
    /// How many bytes it has.
    public static let length = 32

    /// The key, for AES-256-GCM.
    let secret: SecretBytes
    /// Tells master keys apart: the first bytes of a keyed digest, from which the key cannot be found.
    let identifier: [UInt8]

    private static let identifierLabel = Array("assay key store: master key identifier".utf8)
    /// Enough that two keys never share one by accident.
    static let identifierLength = 8

    /// Reads a master key as a file or a variable holds it.
    ///
    /// - Parameter text: base64 of 32 bytes, in either alphabet, with padding or without, or 64 hexadecimal digits. White
    ///   space and one pair of quotes around it are passed over.
    /// - Throws: ``KeyError`` that says what was found in kind and length, and how to make a key.
    public init(text: SecretBytes) throws(KeyError) {
        do {
            self.init(secret: try SecretKeyText.decode(text, byteCount: MasterKey.length))
        } catch {
            throw KeyError(
                "wrong-master-key-form", part: "",
                "expected a master key: base64 of 32 bytes, or 64 hexadecimal digits; found \(error.found). "
                    + "This makes one: \(MasterKey.recipe)")
        }
    }

    private init(secret: SecretBytes) {
        self.secret = secret
        identifier = Array(HMAC.sha256(key: secret, Self.identifierLabel[...]).prefix(Self.identifierLength))
    }
}
