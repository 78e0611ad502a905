import AssayCore
package import AssayTesting
package import FoundationEssentials

/// The shared inputs of all vectors: one app, one authority, one time. Each vector has its own key.
package struct AndroidKeyVectorMint {
    static let app = "vectors"
    static let packageName = "com.example.vectors"
    static let versionCode: UInt32 = 42
    static let digest = [UInt8](repeating: 0x6A, count: 32)
    static let bootKey = [UInt8](repeating: 0xB0, count: 32)

    let seed: String
    package let authority: AndroidKeyTestAuthority
    let time: Date

    package init(seed: String, time: Date) throws(MintingError) {
        self.seed = seed
        self.time = time
        authority = try AndroidKeyTestAuthority(seed: seed, notBefore: Self.notBefore(time))
    }

    /// The start of validity of the authorities' certificates.
    static func notBefore(_ time: Date) -> Date { time.addingTimeInterval(-400 * 86_400) }

    /// A second authority with the same names and other keys, as an attacker can create it.
    func lookalike() throws(MintingError) -> AndroidKeyTestAuthority {
        try AndroidKeyTestAuthority(seed: "\(seed)/lookalike", notBefore: Self.notBefore(time))
    }

    func key(
        _ id: String, _ algorithm: AndroidTestKey.Algorithm = .p256
    ) throws(MintingError) -> AndroidAttestedKey {
        AndroidAttestedKey(key: try otherKey(id, algorithm))
    }

    /// A private key that the device does not attest.
    func otherKey(
        _ label: String, _ algorithm: AndroidTestKey.Algorithm = .p256
    ) throws(MintingError) -> AndroidTestKey { try AndroidTestKey(algorithm, seed: seed, label: label) }

    func challenge(_ id: String) -> [UInt8] { Array("challenge for \(id)".utf8) }

    func attestation(
        _ id: String, _ device: AndroidKeyDevice = .remote, _ algorithm: AndroidTestKey.Algorithm = .p256
    ) throws(MintingError) -> AndroidKeyAttestationBlueprint {
        try AndroidKeyAttestationBlueprint(
            authority: authority, key: key(id, algorithm),
            application: ApplicationIDBlueprint(
                packages: [.init(Self.packageName, version: UInt64(Self.versionCode))], digests: [Self.digest]),
            device: device, label: id, challenge: challenge(id), issuedAt: time)
    }

    /// An attestation that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - delay: seconds from issue to reception.
    ///   - challenge: the challenge in the record if it differs from the device's.
    ///   - publicKey: the public key in the record; nil for none.
    package func attestation(
        _ id: String, _ outcome: VectorOutcome, _ device: AndroidKeyDevice = .remote,
        _ algorithm: AndroidTestKey.Algorithm = .p256, delay: TimeInterval = 0, challenge: [UInt8]? = nil,
        publicKey: [UInt8]? = nil,
        change: @escaping (inout AndroidKeyAttestationBlueprint) throws -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = try attestation(id, device, algorithm)
            try change(&blueprint)
            return try blueprint.mint().record(
                id: id, challenge: challenge, publicKey: publicKey, app: Self.app,
                receivedAt: time.addingTimeInterval(delay), expect: outcome.expectation("android-key.attestation"))
        }
    }

    /// An attestation whose description differs from a genuine one in one respect.
    func description(
        _ id: String, _ outcome: VectorOutcome, _ device: AndroidKeyDevice = .remote,
        change: @escaping (inout KeyDescriptionBlueprint) -> Void
    ) -> VectorCase {
        attestation(id, outcome, device) { change(&$0.description) }
    }
}
