public import FoundationEssentials

/// A stand-in for Google's authorities of Android Key Attestation: an RSA root, an elliptic curve root, and the
/// certificates that they issue.
///
/// The certificates have the shape of genuine ones, with other names. A policy trusts them only if `testRoots` names the
/// roots; every verdict then states that it rests on a test authority.
///
///     let authority = try AndroidKeyTestAuthority(notBefore: Date(timeIntervalSinceNow: -2 * 86_400))
///     let key = try AndroidAttestedKey()
///     let attestation = AndroidKeyAttestationBlueprint(
///         authority: authority, key: key, packageName: "com.example.shop", certificateDigest: digest,
///         challenge: challenge, issuedAt: Date())
///     let minted = try attestation.mint()             // minted.certificates, minted.record(id:).jsonLine
public struct AndroidKeyTestAuthority: Sendable {
    /// The root of factory certificates, and of remote ones until February 2026: RSA, named by a serial number.
    package let rsaRoot: AndroidCertificateBlueprint
    /// The root of remote certificates: P-384.
    package let ecRoot: AndroidCertificateBlueprint
    /// The root of software attestation: P-256. The private key of the genuine one is public.
    package let softwareRoot: AndroidCertificateBlueprint

    private let organization: String
    private let seed: String
    private let notBefore: Date

    /// Creates an authority.
    ///
    /// - Parameters:
    ///   - organization: The O of names, where genuine ones have Google.
    ///   - seed: The source of the keys. The same seed gives the same keys; nil gives random keys.
    ///   - notBefore: The start of validity. Roots are valid for 20 years, factory certificates for 10.
    public init(organization: String = "Assay Test", seed: String? = nil, notBefore: Date) throws(MintingError) {
        try self.init(organization: organization, seed: seed, notBefore: notBefore, rsaRootBits: 2048)
    }

    /// Creates an authority whose RSA root has a modulus of any length. Google's has 4096 bits, which take long to derive.
    package init(
        organization: String = "Assay Test", seed: String?, notBefore: Date, rsaRootBits: Int
    ) throws(MintingError) {
        let seed = seed ?? AndroidTestKey.randomSeed()
        (self.organization, self.seed, self.notBefore) = (organization, seed, notBefore)
        func root(
            _ label: String, _ algorithm: AndroidTestKey.Algorithm, _ name: (String) -> DistinguishedName
        ) throws(MintingError) -> AndroidCertificateBlueprint {
            let key = try AndroidTestKey(algorithm, seed: seed, label: label)
            let name = name(Self.serialText(seed, label))
            return try AndroidCertificateBlueprint(
                fields: CertificateBlueprint(
                    serialNumber: Self.serialNumber(seed, label, count: 8), issuer: name, subject: name,
                    notBefore: notBefore, notAfter: Self.later(notBefore, years: 20),
                    subjectPublicKeyInfo: key.subjectPublicKeyInfo,
                    extensions: [
                        .subjectKeyIdentifier(point: key.publicKey), .authorityKeyIdentifier(point: key.publicKey),
                        .basicConstraints(isCA: true), .keyUsage(0x04),
                    ],
                    signatureAlgorithm: key.signatureAlgorithm),
                key: key, signer: key
            ).signed()
        }
        rsaRoot = try root("rsa-root", .rsa(rsaRootBits)) { DistinguishedName([.init(.serialNumber, $0)]) }
        ecRoot = try root("ec-root", .p384) { _ in
            DistinguishedName([
                .init(.commonName, "Test Key Attestation CA1", textTag: 0x13),
                .init(.organizationalUnit, "Android", textTag: 0x13),
                .init(.organization, organization, textTag: 0x13), .init(.country, "US"),
            ])
        }
        softwareRoot = try root("software-root", .p256) { _ in
            DistinguishedName([
                .init(.country, "US"), .init(.organization, organization),
                .init(.commonName, "Test Android Keystore Software Attestation Root"),
            ])
        }
    }

    /// The certificates of both hardware roots, DER: the RSA root's first.
    public var rootCertificates: [[UInt8]] {
        get throws(MintingError) { [try rsaRoot.certificate(), try ecRoot.certificate()] }
    }

    /// The certificates of both hardware roots in PEM, as a file that a policy's `testRoots` names.
    public var rootPEM: String {
        get throws(MintingError) { try rootCertificates.map { PEM.encode($0, label: "CERTIFICATE") }.joined() }
    }

    /// The certificates above a leaf, the one that signs the leaf first.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm of the leaf's key. Factory attestation keys are of the same kind.
    ///   - label: Identifies the batch of a factory key, or the device of a remote one.
    ///   - time: The time at which remote certificates must be valid.
    package func issuers(
        for device: AndroidKeyDevice, algorithm: AndroidTestKey.Algorithm, label: String, at time: Date
    ) throws(MintingError) -> [AndroidCertificateBlueprint] {
        switch device.provisioning {
        case .factory, .factory2016: try factoryIssuers(for: device, algorithm: algorithm, label: label)
        case .remote: try remoteIssuers(for: device, label: label, at: time, root: ecRoot)
        case .remoteUnderRSA: try remoteIssuers(for: device, label: label, at: time, root: rsaRoot)
        case .software: try softwareIssuers()
        }
    }

    private func factoryIssuers(
        for device: AndroidKeyDevice, algorithm: AndroidTestKey.Algorithm, label: String
    ) throws(MintingError) -> [AndroidCertificateBlueprint] {
        let environment = device.environmentName
        let kind: (name: String, algorithm: AndroidTestKey.Algorithm) =
            if case .rsa = algorithm { ("rsa", .rsa(2048)) } else { ("ec", .p256) }
        func name(_ label: String) -> DistinguishedName {
            let number = DistinguishedName.Attribute(.serialNumber, Self.serialText(seed, label))
            return DistinguishedName(
                device.provisioning == .factory2016 ? [number] : [number, .init(.title, environment)])
        }
        func list(of issuer: AndroidCertificateBlueprint) -> CertificateExtension {
            .revocationList("https://android.googleapis.com/attestation/crl/" + Self.hex(issuer.fields.serialNumber))
        }
        let batch = "factory/\(environment)/\(kind.name)"
        let intermediate = try issue(
            "\(batch)/intermediate", kind.algorithm, name: name("\(batch)/intermediate"), under: rsaRoot,
            serialLength: 10, extensions: [.basicConstraints(isCA: true), .keyUsage(0x04), list(of: rsaRoot)])
        let limits: [CertificateExtension] =
            device.provisioning == .factory2016
            ? [.basicConstraints(isCA: false), .keyUsage(0x80), .invalidNames]
            : [.basicConstraints(isCA: true), .keyUsage(0x04)]
        let attestation = try issue(
            "\(batch)/\(label)", kind.algorithm, name: name("\(batch)/\(label)"), under: intermediate,
            serialLength: 10, extensions: limits + [list(of: intermediate)])
        return [attestation, intermediate, rsaRoot]
    }

    private func remoteIssuers(
        for device: AndroidKeyDevice, label: String, at time: Date, root: AndroidCertificateBlueprint
    ) throws(MintingError) -> [AndroidCertificateBlueprint] {
        func authority(_ number: Int) -> DistinguishedName {
            DistinguishedName([
                .init(.organization, organization, textTag: 0x13),
                .init(.commonName, "Droid CA\(number)", textTag: 0x13),
            ])
        }
        let ca2 = try issue(
            "remote/ca2", .p384, name: authority(2), under: root, serialLength: 10, years: 15,
            extensions: [.basicConstraints(isCA: true, pathLength: 2), .keyUsage(0x06)])
        // All devices share this certificate for a period of 20 days.
        let period = (time.timeIntervalSince1970 / (20 * 86_400)).rounded(.down)
        let start = Date(timeIntervalSince1970: (period * 20 - 10) * 86_400)
        let ca3 = try issue(
            "remote/ca3/\(Int(period))", .p256, name: authority(3), under: ca2, serialLength: 20,
            from: start, until: start.addingTimeInterval(70 * 86_400),
            extensions: [.basicConstraints(isCA: true), .keyUsage(0x04)])
        let environment = device.environmentName
        let attestationLabel = "remote/\(environment)/\(label)/\(Int(time.timeIntervalSince1970 / 86_400))"
        let name = DistinguishedName([
            .init(.organization, environment, textTag: 0x13),
            .init(
                .commonName, Self.serialText(seed, attestationLabel) + Self.serialText(seed, "\(attestationLabel)/2"),
                textTag: 0x13),
        ])
        let attestation = try issue(
            attestationLabel, .p256, name: name, under: ca3, serialLength: 16,
            from: time.addingTimeInterval(-86_400), until: time.addingTimeInterval(29 * 86_400),
            extensions: [
                .basicConstraints(isCA: true), .keyUsage(0x04), .provisioningInfo(Self.genuineProvisioningInfo),
            ])
        return [attestation, ca3, ca2, root]
    }

    private func softwareIssuers() throws(MintingError) -> [AndroidCertificateBlueprint] {
        let attestation = try issue(
            "software", .p256,
            name: DistinguishedName([
                .init(.country, "US"), .init(.organization, organization),
                .init(.commonName, "Test Android Keystore Software Attestation Intermediate"),
            ]),
            under: softwareRoot, serialLength: 2,
            extensions: [.basicConstraints(isCA: true, pathLength: 0), .keyUsage(0x84)])
        return [attestation, softwareRoot]
    }

    /// The provisioning information of genuine remote attestation keys: certificates issued, a flag, the manufacturer.
    package static let genuineProvisioningInfo = CBORItem.map([
        .unsigned(1), .unsigned(16), .unsigned(2), .simple(21), .unsigned(3), .text("Google"),
    ])

    private func issue(
        _ label: String, _ algorithm: AndroidTestKey.Algorithm, name: DistinguishedName,
        under issuer: AndroidCertificateBlueprint, serialLength: Int, years: Double = 10, from start: Date? = nil,
        until end: Date? = nil, extensions: [CertificateExtension]
    ) throws(MintingError) -> AndroidCertificateBlueprint {
        let key = try AndroidTestKey(algorithm, seed: seed, label: label)
        return try AndroidCertificateBlueprint(
            fields: CertificateBlueprint(
                serialNumber: Self.serialNumber(seed, label, count: serialLength), issuer: issuer.name, subject: name,
                notBefore: start ?? notBefore, notAfter: end ?? Self.later(notBefore, years: years),
                subjectPublicKeyInfo: key.subjectPublicKeyInfo,
                extensions: [
                    .subjectKeyIdentifier(point: key.publicKey), .authorityKeyIdentifier(point: issuer.key.publicKey),
                ] + extensions,
                signatureAlgorithm: issuer.key.signatureAlgorithm),
            key: key, signer: issuer.key
        ).signed()
    }

    private static func later(_ date: Date, years: Double) -> Date {
        date.addingTimeInterval(years * 365 * 86_400)
    }

    /// A positive serial number without a leading zero.
    private static func serialNumber(_ seed: String, _ label: String, count: Int) -> [UInt8] {
        var bytes = TestBytes(seed: seed)("android-key/serial/\(label)", count: count)
        bytes[0] = bytes[0] & 0x7F | 0x40
        return bytes
    }

    /// 16 hexadecimal digits.
    private static func serialText(_ seed: String, _ label: String) -> String {
        hex(TestBytes(seed: seed)("android-key/name/\(label)", count: 8))
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
