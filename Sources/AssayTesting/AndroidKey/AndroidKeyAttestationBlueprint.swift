import AssayCore
public import FoundationEssentials

/// A key attestation of Android to mint: a chain of certificates. The initial values are those of a genuine device; change
/// any part before minting.
public struct AndroidKeyAttestationBlueprint: Sendable {
    package let key: AndroidAttestedKey
    /// The challenge that the app passed to `setAttestationChallenge`.
    package let challenge: [UInt8]
    package let issuedAt: Date
    private let seed: String

    /// The description of the key, in the leaf.
    package var description: KeyDescriptionBlueprint
    /// The leaf. Its extensions are those of `leafExtensions`.
    package var leaf: AndroidCertificateBlueprint
    /// The extensions of the leaf. The argument is the encoded description.
    package var leafExtensions: @Sendable (_ description: [UInt8]) -> [CertificateExtension] = {
        [.keyUsage(0x80), .keyDescription($0)]
    }
    /// The certificates above the leaf, the one that signs the leaf first, with the root.
    package var issuers: [AndroidCertificateBlueprint]
    /// The certificates before the leaf. Genuine chains have none: see ``extend(forging:description:)``.
    package var extended: [AndroidCertificateBlueprint] = []
    /// A last change to the certificates of the chain.
    package var changeCertificates: @Sendable (_ certificates: [[UInt8]]) -> [[UInt8]] = { $0 }

    /// Creates the blueprint of a genuine attestation, of a key that signs with SHA-256 and needs no authentication of the user.
    ///
    /// - Parameters:
    ///   - key: The attested key; nil for a random one on P-256.
    ///   - certificateDigest: SHA-256 of the certificate that signs the app, 32 bytes.
    ///   - challenge: 1 to 128 bytes.
    ///   - issuedAt: The time of issue. The patch levels are those of its month.
    public init(
        authority: AndroidKeyTestAuthority, key: AndroidAttestedKey? = nil, packageName: String,
        certificateDigest: [UInt8], versionCode: UInt32 = 1, device: AndroidKeyDevice = .remote, challenge: [UInt8],
        issuedAt: Date
    ) throws(MintingError) {
        let key = if let key { key } else { try AndroidAttestedKey() }
        try self.init(
            authority: authority, key: key,
            application: ApplicationIDBlueprint(
                packages: [.init(packageName, version: UInt64(versionCode))], digests: [certificateDigest]),
            device: device, label: AndroidKeyTestAuthority.hex(Array(key.keyID.prefix(8))), challenge: challenge,
            issuedAt: issuedAt)
    }

    /// Creates the blueprint of a genuine attestation.
    ///
    /// - Parameter label: Identifies the batch of a factory attestation key, or the device of a remote one.
    package init(
        authority: AndroidKeyTestAuthority, key: AndroidAttestedKey, application: ApplicationIDBlueprint,
        device: AndroidKeyDevice, label: String, challenge: [UInt8], issuedAt: Date
    ) throws(MintingError) {
        (self.key, self.challenge, self.issuedAt) = (key, challenge, issuedAt)
        seed = label
        description = KeyDescriptionBlueprint(
            device: device, algorithm: key.key.algorithm, application: application, challenge: challenge,
            issuedAt: issuedAt)
        issuers = try authority.issuers(
            for: device, algorithm: key.key.algorithm, label: label, at: issuedAt)
        leaf = Self.leaf(of: key.key, under: issuers[0])
    }

    /// The certificate that a key store writes for a key: serial number 1, and the widest validity.
    private static func leaf(
        of key: AndroidTestKey, under issuer: AndroidCertificateBlueprint
    ) -> AndroidCertificateBlueprint {
        AndroidCertificateBlueprint(
            fields: CertificateBlueprint(
                serialNumber: [1], issuer: issuer.name,
                subject: DistinguishedName([.init(.commonName, "Android Keystore Key", textTag: 0x13)]),
                notBefore: Date(timeIntervalSince1970: 0), notAfter: Date(timeIntervalSince1970: 2_461_449_600),
                subjectPublicKeyInfo: key.subjectPublicKeyInfo, extensions: [],
                signatureAlgorithm: issuer.key.signatureAlgorithm),
            key: key, signer: issuer.key)
    }

    /// Lets another attested key of the device, with the purpose 7, sign the leaf.
    package mutating func insertAttestKey() throws(MintingError) {
        let key = try AndroidTestKey(.p256, seed: seed, label: "attest-key")
        var attestKey = Self.leaf(of: key, under: issuers[0])
        attestKey.fields.subject = DistinguishedName([.init(.commonName, "Android Keystore Attest Key")])
        var description = description
        description.hardwareEnforced[.purpose] = .integers([7])
        attestKey.fields.extensions = [
            CertificateExtension([2, 5, 29, 15], isCritical: true, value: DERBuilder.bitString([])),
            .keyDescription(description.encoded),
        ]
        issuers.insert(attestKey, at: 0)
        leaf.fields.issuer = attestKey.name
        leaf.sign(with: key)
    }

    /// Lets the attested key sign a certificate for another key with the same description, as any app can: all signatures of
    /// the chain verify, and the other key is in no secure hardware. A server must reject it.
    public mutating func extend(forging other: AndroidAttestedKey) {
        extend(forging: other.key, description: description)
    }

    /// Lets the attested key sign a certificate for another key.
    ///
    /// - Parameter description: The forged description; nil for none.
    package mutating func extend(forging key: AndroidTestKey, description: KeyDescriptionBlueprint?) {
        let issuer = extended.first ?? leaf
        var forged = Self.leaf(of: key, under: issuer)
        forged.fields.extensions = [.keyUsage(0x80)] + (description.map { [.keyDescription($0.encoded)] } ?? [])
        extended.insert(forged, at: 0)
    }

    /// The information in the attestation certificate on its remote provisioning; nil if it has none. Setting it writes it
    /// into the first certificate above the leaf.
    package var provisioningInfo: CBORItem? {
        get {
            issuers[0].fields.extensions.first { $0.identifier == OID.androidProvisioningInfo }.map { .raw($0.value) }
        }
        set {
            issuers[0].fields.extensions.removeAll { $0.identifier == OID.androidProvisioningInfo }
            if let newValue { issuers[0].fields.extensions.append(.provisioningInfo(newValue)) }
        }
    }

    /// Mints the attestation.
    public func mint() throws(MintingError) -> MintedKeyAttestation {
        var leaf = leaf
        leaf.fields.extensions = leafExtensions(description.encoded)
        var certificates: [[UInt8]] = []
        for blueprint in extended + [leaf] + issuers { certificates.append(try blueprint.certificate()) }
        return MintedKeyAttestation(
            certificates: changeCertificates(certificates), challenge: challenge, publicKey: key.publicKey,
            mintedAt: issuedAt)
    }
}

extension KeyDescriptionBlueprint {
    /// The description of a key that signs with SHA-256 and needs no authentication of the user.
    package init(
        device: AndroidKeyDevice, algorithm: AndroidTestKey.Algorithm, application: ApplicationIDBlueprint,
        challenge: [UInt8], issuedAt: Date
    ) {
        self.init(
            version: device.attestationVersion, securityLevel: device.securityLevel, challenge: challenge)
        let milliseconds = UInt64(max(0, issuedAt.timeIntervalSince1970 * 1000))
        softwareEnforced[.creationDateTime] = .integer(milliseconds)
        if attestationVersion >= 2 { softwareEnforced[.attestationApplicationID] = .octets(application.encoded) }
        if attestationVersion >= 400 {
            softwareEnforced[.moduleHash] = .octets(TestBytes(seed: "assay test device")("modules", count: 32))
        }
        var key = AuthorizationListBlueprint()
        key[.purpose] = .integers([2, 3])
        key[.digest] = .integers([4])
        key[.noAuthRequired] = .null
        key[.origin] = .integer(0)
        let numbers: (algorithm: UInt64, size: UInt64, curve: UInt64?) =
            switch algorithm {
            case .p224: (3, 224, 0)
            case .p256: (3, 256, 1)
            case .p384: (3, 384, 2)
            case .p521: (3, 521, 3)
            case .secp256k1: (3, 256, nil)
            case .ed25519: (3, 256, 4)
            case .rsa(let bits): (1, UInt64(bits), nil)
            }
        key[.algorithm] = .integer(numbers.algorithm)
        key[.keySize] = .integer(numbers.size)
        key[.ecCurve] = numbers.curve.map { .integer($0) }
        if numbers.algorithm == 1 {
            key[.padding] = .integers([5])
            key[.rsaPublicExponent] = .integer(65_537)
        }
        // The first day of the month.
        let day = UInt64(RFC3339.format(issuedAt).prefix(7).filter { $0 != "-" }).map { $0 * 100 + 1 } ?? 0
        key[.rootOfTrust] = .encoded(device.rootOfTrust.encoded)
        key[.osVersion] = .integer(device.osVersion)
        key[.osPatchLevel] = .integer(day / 100)
        if attestationVersion >= 3 {
            key[.vendorPatchLevel] = .integer(day)
            key[.bootPatchLevel] = .integer(day)
        }
        guard device.securityLevel == 0 else {
            hardwareEnforced = key
            return
        }
        for case .value(let tag, let value) in key.elements { softwareEnforced[tag] = value }
    }
}
