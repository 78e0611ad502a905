import Crypto
import FoundationEssentials

/// The response keys of a fictitious app, in place of the keys with which Google encrypts and signs classic tokens.
public struct PlayIntegrityTestKeys: Sendable {
    /// The AES key that wraps content keys, 32 bytes: `DECRYPTION_KEY`.
    package let decryptionKey: [UInt8]
    /// The P-256 key that signs payloads. Its public key is `VERIFICATION_KEY`.
    package let signingKey: TestKey

    /// Creates random keys.
    public init() {
        self.init(
            decryptionKey: SymmetricKey(size: .bits256).bytes, signingKey: TestKey(.p256))
    }

    /// Derives the keys of a seed and a label, always the same ones. Anyone with the seed has the keys.
    package init(seed: String, label: String) {
        self.init(
            decryptionKey: TestBytes(seed: seed)("play-integrity/decryption/\(label)", count: 32),
            signingKey: TestKey(.p256, seed: seed, label: "play-integrity/signing/\(label)"))
    }

    /// Creates any pair of keys.
    package init(decryptionKey: [UInt8], signingKey: TestKey) {
        self.decryptionKey = decryptionKey
        self.signingKey = signingKey
    }

    /// The content of a decryption key file: standard base64, as the Play Console shows it, and a line feed.
    public var decryptionKeyFile: String { Data(decryptionKey).base64EncodedString() + "\n" }

    /// The verification key: an EC SubjectPublicKeyInfo in DER.
    package var verificationKey: [UInt8] { signingKey.subjectPublicKeyInfo() }

    /// The content of a verification key file: standard base64, as the Play Console shows it, and a line feed.
    public var verificationKeyFile: String { Data(verificationKey).base64EncodedString() + "\n" }

    /// The plaintext of the Play Console's encrypted download.
    package var downloadedText: String { "DECRYPTION_KEY=\(decryptionKeyFile)VERIFICATION_KEY=\(verificationKeyFile)" }
}

/// Derives bytes from a seed and a label with HKDF (RFC 5869). The same arguments always give the same bytes.
package struct TestBytes: Sendable {
    let seed: String

    package init(seed: String) { self.seed = seed }

    package func callAsFunction(_ label: String, count: Int) -> [UInt8] {
        HKDF<SHA512>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(seed.utf8)), salt: Array("assay test bytes".utf8),
            info: Array(label.utf8), outputByteCount: count
        ).bytes
    }
}
