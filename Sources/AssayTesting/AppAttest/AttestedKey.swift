/// A software P-256 key in place of the Secure Enclave key that `DCAppAttestService.generateKey` makes.
public struct AttestedKey: Sendable {
    package let key: TestKey

    /// Creates a random key.
    public init() {
        key = TestKey(.p256)
    }

    /// Derives the key of a seed and a label. The same arguments always give the same key.
    package init(seed: String, label: String) {
        key = TestKey(.p256, seed: seed, label: "attested/\(label)")
    }

    /// Creates a key from its private scalar of 32 bytes.
    package init(scalar: [UInt8]) throws(MintingError) {
        key = try TestKey(.p256, scalar: scalar)
    }

    /// The public point: 0x04, x, y; 65 bytes.
    public var publicPoint: [UInt8] { key.publicPoint }

    /// The key identifier that the app gets: SHA-256 of the public point. Apps send it as base64.
    public var keyID: [UInt8] { sha256(publicPoint) }

    /// The COSE key of the authenticator data (RFC 9053 section 7.1): {1: 2, 3: -7, -1: 1, -2: x, -3: y}, 77 bytes.
    package var coseKey: CBORItem {
        .map([
            .integer(1), .integer(2), .integer(3), .integer(-7), .integer(-1), .integer(1),
            .integer(-2), .bytes(Array(publicPoint[1..<33])), .integer(-3), .bytes(Array(publicPoint[33..<65])),
        ])
    }
}
