public import AssayCore
import AssayPrimitives
import Crypto
import FoundationEssentials

/// The HPKE suite of sealed records (RFC 9180): DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305.
enum CaptureSuite {
    static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    /// Binds ciphertexts to their purpose (RFC 9180 section 5.1, `info`).
    static let info = Data("assay capture record 2".utf8)
    /// The length of the keys and of the encapsulated key (RFC 9180 section 7.1: Npk, Nsk and Nenc of X25519).
    static let keyLength = 32
    /// The length of the authentication tag (RFC 9180 section 7.3: Nt of ChaCha20-Poly1305).
    static let tagLength = 16
}

/// The key for sealing captured evidence. A host that has it can write sealed records, but not read them.
///
/// In a file: `assay-capture-public:`, the 32 bytes of an X25519 public key (RFC 7748) in standard base64, a line feed.
public struct CapturePublicKey: Sendable {
    let key: Curve25519.KeyAgreement.PublicKey

    /// Reads a key from the text of its file. Ignores surrounding white space. Errors state kind and length only.
    public init(text: SecretBytes) throws(CaptureError) {
        let bytes = try CaptureKeyText.decode(text, .public)
        do {
            key = try bytes.withUnsafeBytes { try Curve25519.KeyAgreement.PublicKey(rawRepresentation: $0) }
            // RFC 9180 section 7.1.4: a point of small order gives the same all-zero secret with every private key.
            let secret = try Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: key)
            guard secret.withUnsafeBytes({ $0.contains { $0 != 0 } }) else {
                throw CryptoKitError.incorrectParameterSize
            }
        } catch {
            throw CaptureError(.key, "the public key is no X25519 key for which anything can be sealed")
        }
    }

    init(_ key: Curve25519.KeyAgreement.PublicKey) {
        self.key = key
    }

    /// The content of its file, without the line feed.
    package var text: String {
        CaptureKeyText.Kind.public.prefix + Base64.encode(Array(key.rawRepresentation), .standard)
    }
}

/// The key that opens records sealed for its public key.
///
/// In a file: `assay-capture-private:`, the 32 bytes of an X25519 private key (RFC 7748) in standard base64, and a line
/// feed. The prefix prevents sealing with the private key by mistake: such records could never be opened.
public final class CapturePrivateKey: Sendable {
    private let bytes: SecretBytes
    package let publicKey: CapturePublicKey

    /// Reads a key from the text of its file. Ignores surrounding white space. Errors state kind and length only.
    public convenience init(text: SecretBytes) throws(CaptureError) {
        try self.init(bytes: CaptureKeyText.decode(text, .private))
    }

    private init(bytes: SecretBytes) throws(CaptureError) {
        self.bytes = bytes
        do {
            let key = try bytes.withUnsafeBytes { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            publicKey = CapturePublicKey(key.publicKey)
        } catch {
            throw CaptureError(.key, "the private key is no X25519 key")
        }
    }

    /// Generates a key.
    package static func make() throws(CaptureError) -> CapturePrivateKey {
        var raw = Array(Curve25519.KeyAgreement.PrivateKey().rawRepresentation)
        defer { SecretBytes.wipe(&raw) }
        return try CapturePrivateKey(bytes: SecretBytes(raw))
    }

    /// The content of its file, without the line feed.
    package var text: SecretBytes {
        var raw = bytes.withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&raw) }
        return SecretBytes((CaptureKeyText.Kind.private.prefix + Base64.encode(raw, .standard)).utf8)
    }

    /// Decrypts a ciphertext; nil if it is for another key or was changed.
    func open(_ sealed: ArraySlice<UInt8>, authenticating data: [UInt8]) -> [UInt8]? {
        guard sealed.count >= CaptureSuite.keyLength + CaptureSuite.tagLength else { return nil }
        do {
            let key = try bytes.withUnsafeBytes { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            var recipient = try HPKE.Recipient(
                privateKey: key, ciphersuite: CaptureSuite.suite, info: CaptureSuite.info,
                encapsulatedKey: Data(sealed.prefix(CaptureSuite.keyLength)))
            return Array(try recipient.open(sealed.dropFirst(CaptureSuite.keyLength), authenticating: data))
        } catch {
            return nil
        }
    }
}

extension CapturePublicKey {
    /// Encrypts bytes. Returns the encapsulated key and the ciphertext.
    func seal(_ bytes: [UInt8], authenticating data: [UInt8]) throws(CaptureError) -> [UInt8] {
        do {
            var sender = try HPKE.Sender(recipientKey: key, ciphersuite: CaptureSuite.suite, info: CaptureSuite.info)
            let sealed = try sender.seal(bytes, authenticating: data)
            return Array(sender.encapsulatedKey) + Array(sealed)
        } catch {
            throw CaptureError(.key, "nothing can be sealed for this public key: \(error)")
        }
    }
}

/// Decodes keys in memory that is wiped.
private enum CaptureKeyText {
    enum Kind: String, CaseIterable {
        case `public`
        case `private`

        /// The text before the key.
        var prefix: String { "assay-capture-\(rawValue):" }
    }

    static func decode(_ text: SecretBytes, _ kind: Kind) throws(CaptureError) -> SecretBytes {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let (found, key) = text.withUnsafeBytes { bytes in
            let body = bytes.drop(while: isSpace)
            let found = Kind.allCases.first { body.starts(with: $0.prefix.utf8) }
            return (found, SecretBytes(body.dropFirst(found?.prefix.utf8.count ?? 0)))
        }
        let expected = "expected \(kind.prefix) and \(CaptureSuite.keyLength) bytes in base64"
        guard found == kind else {
            let other =
                found.map { "a \($0.rawValue) key" } ?? "\(key.withUnsafeBytes { $0.count }) bytes of something else"
            throw CaptureError(.key, "\(expected), found \(other)")
        }
        do {
            return try SecretKeyText.decode(key, byteCount: CaptureSuite.keyLength)
        } catch {
            throw CaptureError(.key, "\(expected), found \(error.found)")
        }
    }
}
