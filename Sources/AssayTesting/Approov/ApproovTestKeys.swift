import Crypto
import FoundationEssentials

/// The keys of an Approov account that exists nowhere, and of one installation of an app.
public struct ApproovTestKeys: Sendable {
    /// What tokens are signed or encrypted with: 64 bytes, as Approov's are.
    public var secret: [UInt8]
    /// What tokens of an account with ES256 are signed with, on P-256.
    package var signingKey: TestKey
    /// What tokens of an account with RS256 are signed with.
    package var rsaKey: RSATestKey
    /// What apps sign messages with for the account: 32 bytes.
    public var messageKey: [UInt8]
    /// The ID of that key, which tokens name it by: `mskid`.
    public var messageKeyID: String
    /// What an installation signs messages with, on P-256. Its public half is in tokens: `ipk`.
    public var installationKey: TestKey

    /// New random keys, but for the RSA key, which is ``RSATestKey/published()``.
    public init() throws(MintingError) {
        secret = ApproovTestKeys.newSecret()
        signingKey = TestKey(.p256)
        rsaKey = try .published()
        messageKey = SymmetricKey(size: .bits256).bytes
        messageKeyID = "account-key"
        installationKey = TestKey(.p256)
    }

    /// The keys that belong to a seed and a label, the same ones every time. A seed that others know makes keys that
    /// others have. The RSA key is ``RSATestKey/published()``.
    public init(seed: String, label: String) throws(MintingError) {
        let bytes = TestBytes(seed: seed)
        secret = bytes("approov/secret/\(label)", count: Self.secretLength)
        signingKey = TestKey(.p256, seed: seed, label: "approov/signing/\(label)")
        rsaKey = try .published()
        messageKey = bytes("approov/message/\(label)", count: 32)
        messageKeyID = "\(label)-message-key"
        installationKey = TestKey(.p256, seed: seed, label: "approov/installation/\(label)")
    }

    /// How many bytes the secret of an account has: 512 bits (Approov, Token Signing).
    package static let secretLength = 64

    /// A random secret for an account.
    package static func newSecret() -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: secretLength * 8)).bytes
    }

    /// What a file of the secret holds: standard base64, as Approov's tool prints it, and a line feed.
    public var secretFile: String { Self.secretFile(of: secret) }

    /// What a file of a secret holds: standard base64 and a line feed.
    package static func secretFile(of secret: [UInt8]) -> String { Data(secret).base64EncodedString() + "\n" }

    /// What a file of the account's message key holds: standard base64 and a line feed.
    public var messageKeyFile: String { Data(messageKey).base64EncodedString() + "\n" }

    /// What a file of the public half of the ES256 key holds: PEM.
    public var signingKeyFile: String { PEMText.block("PUBLIC KEY", signingKey.subjectPublicKeyInfo()) }

    /// What a file of the public half of the RS256 key holds: PEM.
    public var rsaKeyFile: String { PEMText.block("PUBLIC KEY", rsaKey.subjectPublicKeyInfo) }

    /// A JSON Web Key Set (RFC 7517 section 5) of the public halves of both.
    ///
    /// - Parameters:
    ///   - es256: the ID of the ES256 key.
    ///   - rs256: the ID of the RS256 key.
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

    /// `ipk`: the public half of the installation's key, a DER SubjectPublicKeyInfo.
    package var installationPublicKey: [UInt8] { installationKey.subjectPublicKeyInfo() }

    /// What encrypted tokens are encrypted under: the SHA-256 digest of the secret (Approov, Token Signing).
    package var encryptionKey: [UInt8] { sha256(secret) }
}
