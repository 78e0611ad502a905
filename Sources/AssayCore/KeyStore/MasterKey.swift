public import AssayPrimitives

/// The key that encrypts a key store: 32 random bytes, kept outside the store.
public struct MasterKey: Sendable {
    /// A shell command that writes a new key to a file that only its user can read.
    package static let recipe = "(umask 077; openssl rand -base64 32 >master.key)"
    /// The length in bytes.
    package static let length = 32

    /// The key, for AES-256-GCM.
    let secret: SecretBytes
    /// Identifies the master key: the first bytes of a keyed digest. The key cannot be derived from it.
    let identifier: [UInt8]

    private static let identifierLabel = Array("assay key store: master key identifier".utf8)
    /// Long enough that two keys do not share an identifier by accident.
    static let identifierLength = 8

    /// Reads a master key from the contents of a file or a variable.
    ///
    /// - Parameter text: base64 of 32 bytes, in either alphabet, with or without padding, or 64 hexadecimal digits.
    ///   Surrounding white space and one pair of quotes are ignored.
    /// - Throws: ``KeyError`` with the kind and length of the text, and a command that makes a key.
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
