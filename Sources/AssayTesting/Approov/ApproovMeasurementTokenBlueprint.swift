import Crypto
package import FoundationEssentials

/// A measurement token for offline hardware to mint: a JWE with `ECDH-ES`, created without Assay's own sealing code.
/// The initial values are genuine; change any part before minting.
package struct ApproovMeasurementTokenBlueprint: Sendable {
    package var content: JSONItem
    /// The protected header. `epk` is that of the ephemeral key unless it is replaced.
    package var header: JSONItem
    /// The uncompressed point of the hardware's key.
    package var hardware: [UInt8]
    package var ephemeralKey: TestKey
    /// The initialisation vector; nil for a random one.
    package var initializationVector: [UInt8]?
    /// A last change to the JWE.
    package var change: @Sendable (inout JWEBlueprint) -> Void = { _ in }

    /// Creates a token that is issued at a time.
    package init(
        _ measurements: ApproovTestMeasurements, for hardware: [UInt8], issuedAt: Date,
        ephemeralKey: TestKey = TestKey(.p256)
    ) {
        content = [:]
        for (claim, bytes) in measurements.claims { content[claim.name] = ApproovClaimsBlueprint.base64(bytes) }
        content["iat"] = ApproovClaimsBlueprint.seconds(issuedAt)
        let point = ephemeralKey.publicPoint
        header = [
            "alg": "ECDH-ES", "enc": "A256GCM",
            "epk": [
                "kty": "EC", "crv": "P-256", "x": .text(Base64URL.text(point[1..<33])),
                "y": .text(Base64URL.text(point[33..<65])),
            ],
            "typ": "approov-measurement",
        ]
        self.hardware = hardware
        self.ephemeralKey = ephemeralKey
    }

    package func mint() throws(MintingError) -> String {
        var jwe = JWEBlueprint(
            plaintext: content.encoded, keyManagement: .direct, contentKey: try contentKey(),
            initializationVector: initializationVector)
        jwe.header = header
        change(&jwe)
        return try jwe.mint()
    }

    /// RFC 7518 section 4.6.2: SHA-256 of the round, Z, AlgorithmID, empty PartyUInfo and PartyVInfo, and the length in bits.
    private func contentKey() throws(MintingError) -> [UInt8] {
        var input: [UInt8] = [0, 0, 0, 1]
        input += try ephemeralKey.sharedSecret(with: hardware)
        input += [0, 0, 0, 7] + Array("A256GCM".utf8) + [0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 1, 0]
        return Array(SHA256.hash(data: input))
    }
}
