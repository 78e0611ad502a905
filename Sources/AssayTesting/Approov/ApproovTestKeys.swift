import Crypto
import FoundationEssentials

/// The keys of a fictitious Approov account and of one app installation.
public struct ApproovTestKeys: Sendable {
    /// The secret that signs or encrypts tokens: 64 bytes, as long as Approov's.
    public var secret: [UInt8]
    /// The P-256 key that signs ES256 tokens.
    package var signingKey: TestKey
    /// The key that signs RS256 tokens.
    package var rsaKey: RSATestKey
    /// The account's message signing key: 32 bytes.
    public var messageKey: [UInt8]
    /// The ID of the message signing key. Tokens carry it in `mskid`.
    public var messageKeyID: String
    /// The installation's P-256 key that signs messages. Tokens carry its public half in `ipk`.
    public var installationKey: TestKey

    /// Creates random keys. The RSA key is ``RSATestKey/published()``.
    public init() throws(MintingError) {
        secret = ApproovTestKeys.newSecret()
        signingKey = TestKey(.p256)
        rsaKey = try .published()
        messageKey = SymmetricKey(size: .bits256).bytes
        messageKeyID = "account-key"
        installationKey = TestKey(.p256)
    }

    /// Derives the keys of a seed and a label; the same arguments give the same keys. Anyone with the seed has the
    /// keys. The RSA key is ``RSATestKey/published()``.
    package init(seed: String, label: String) throws(MintingError) {
        let bytes = TestBytes(seed: seed)
        secret = bytes("approov/secret/\(label)", count: Self.secretLength)
        signingKey = TestKey(.p256, seed: seed, label: "approov/signing/\(label)")
        rsaKey = try .published()
        messageKey = bytes("approov/message/\(label)", count: 32)
        messageKeyID = "\(label)-message-key"
        installationKey = TestKey(.p256, seed: seed, label: "approov/installation/\(label)")
    }

    /// The length of an account's secret in bytes: 512 bits (Approov, Token Signing).
    package static let secretLength = 64

    /// Creates a random account secret.
    package static func newSecret() -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: secretLength * 8)).bytes
    }

    /// The content of a secret file: standard base64, as Approov's tool prints it, and a line feed.
    public var secretFile: String { Self.secretFile(of: secret) }

    /// The content of a file with this secret: standard base64 and a line feed.
    package static func secretFile(of secret: [UInt8]) -> String { Data(secret).base64EncodedString() + "\n" }

    /// The content of a message key file: standard base64 and a line feed.
    public var messageKeyFile: String { Data(messageKey).base64EncodedString() + "\n" }

    /// The content of a file with the ES256 public key: PEM.
    public var signingKeyFile: String { PEMText.block("PUBLIC KEY", signingKey.subjectPublicKeyInfo()) }

    /// The content of a file with the RS256 public key: PEM.
    public var rsaKeyFile: String { PEMText.block("PUBLIC KEY", rsaKey.subjectPublicKeyInfo) }

    /// A JSON Web Key Set (RFC 7517 section 5) with the ES256 and RS256 public keys under the given key IDs.
    package func keySet(es256: String, rs256: String) -> JSONItem {
        let point = signingKey.publicPoint
        return [
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "kid": .text(es256), "alg": "ES256", "use": "sig",
                    "x": .text(Base64URL.text(point[1..<33])), "y": .text(Base64URL.text(point[33..<65])),
                ],
                [
                    "kty": "RSA", "kid": .text(rs256), "alg": "RS256", "use": "sig",
                    "n": .text(Base64URL.text(rsaKey.modulus)), "e": "AQAB",
                ],
            ]
        ]
    }

    /// `ipk`: the installation's public key, a DER SubjectPublicKeyInfo.
    package var installationPublicKey: [UInt8] { installationKey.subjectPublicKeyInfo() }

    /// The key that encrypts tokens: SHA-256 of the secret (Approov, Token Signing).
    package var encryptionKey: [UInt8] { sha256(secret) }
}
