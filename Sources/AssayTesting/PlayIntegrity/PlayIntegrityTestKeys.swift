import Crypto
import FoundationEssentials

/// The response keys of an app that exists in no Play Console: what Google would encrypt and sign classic tokens with.
public struct PlayIntegrityTestKeys: Sendable {
    /// The AES key that wraps content keys, 32 bytes: `DECRYPTION_KEY`.
    package let decryptionKey: [UInt8]
    /// The P-256 key that signs payloads. Its public half is `VERIFICATION_KEY`.
    package let signingKey: TestKey

    /// New random keys.
    public init() {
        self.init(
            decryptionKey: SymmetricKey(size: .bits256).bytes, signingKey: TestKey(.p256))
    }

    /// The keys that belong to a seed and a label, the same ones every time. A seed that others know makes keys that
    /// others have.
    public init(seed: String, label: String) {
        self.init(
            decryptionKey: TestBytes(seed: seed)("play-integrity/decryption/\(label)", count: 32),
            signingKey: TestKey(.p256, seed: seed, label: "play-integrity/signing/\(label)"))
    }

    /// Composes any two keys.
    package init(decryptionKey: [UInt8], signingKey: TestKey) {
        self.decryptionKey = decryptionKey
        self.signingKey = signingKey
    }

    /// What the file of the decryption key holds: standard base64, as the Play Console shows it, and a line feed.
    public var decryptionKeyFile: String { Data(decryptionKey).base64EncodedString() + "\n" }

    /// The verification key: an EC SubjectPublicKeyInfo in DER.
    package var verificationKey: [UInt8] { signingKey.subjectPublicKeyInfo() }

    /// What the file of the verification key holds: standard base64, as the Play Console shows it, and a line feed.
    public var verificationKeyFile: String { Data(verificationKey).base64EncodedString() + "\n" }

    /// The text that Google's download has once it is decrypted.
    package var downloadedText: String { "DECRYPTION_KEY=\(decryptionKeyFile)VERIFICATION_KEY=\(verificationKeyFile)" }
}

/// Bytes that belong to a seed and a label, the same ones every time, derived with HKDF (RFC 5869).
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
