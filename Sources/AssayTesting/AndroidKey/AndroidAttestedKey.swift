/// A software key in place of one that Android's keystore generates in the trusted environment or in StrongBox.
public struct AndroidAttestedKey: Sendable {
    /// The algorithm of a key.
    public struct Algorithm: Sendable, Equatable {
        package let key: AndroidTestKey.Algorithm

        /// ECDSA on P-256.
        public static let p256 = Algorithm(key: .p256)
        /// RSA of 2048 bits.
        public static let rsa2048 = Algorithm(key: .rsa(2048))
    }

    package let key: AndroidTestKey

    /// Creates a random key.
    ///
    /// - Throws: ``MintingError`` if the algorithm has no such key.
    public init(_ algorithm: Algorithm = .p256) throws(MintingError) {
        try self.init(algorithm, seed: AndroidTestKey.randomSeed(), label: "")
    }

    /// Derives the key of a seed and a label, always the same one.
    package init(_ algorithm: Algorithm = .p256, seed: String, label: String) throws(MintingError) {
        key = try AndroidTestKey(algorithm.key, seed: seed, label: "attested/\(label)")
    }

    /// Uses a key of any algorithm.
    package init(key: AndroidTestKey) {
        self.key = key
    }

    /// The public key: SubjectPublicKeyInfo, DER.
    public var publicKey: [UInt8] { key.subjectPublicKeyInfo }

    /// The key identifier: SHA-256 of the public key.
    public var keyID: [UInt8] { sha256(publicKey) }

    /// Signs a message with SHA-256, in the form of HTTP message signatures (RFC 9421 sections 3.3.2 and 3.3.4): r and s for
    /// ECDSA, or RSASSA-PKCS1-v1_5.
    public func signature(over message: [UInt8]) throws(MintingError) -> [UInt8] {
        if let signature = try key.ecdsaSignature(over: message, hash: .sha256) { return signature.concatenated }
        return try key.signature(over: message)
    }

    /// The name of that algorithm in a signature's parameter `alg`.
    package var signatureAlgorithmName: String {
        if case .rsa = key.algorithm { "rsa-v1_5-sha256" } else { "ecdsa-p256-sha256" }
    }
}
