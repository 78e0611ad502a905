package import FoundationEssentials

/// The certificate that Apple issues for an attested key. Every field accepts any value.
package struct LeafBlueprint: Sendable {
    /// The serial number, big-endian. Genuine leaves use the time of issue in milliseconds.
    package var serialNumber: [UInt8]
    /// The subject. The CN is the key ID in hexadecimal.
    package var subject: DistinguishedName
    /// The first second of validity, 24 hours before the time of issue.
    package var notBefore: Date
    /// The last second of validity, 3 days after the first.
    package var notAfter: Date
    /// The encoded SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8]
    package var constraints: [CertificateExtension] = [.basicConstraints(isCA: false), .keyUsage(0xF0)]
    /// The extensions between the constraints and the nonce: key usage, platform, system.
    package var descriptions: [CertificateExtension]
    /// The extensions that bind the nonce. The argument is the true nonce. Genuine leaves have one such extension.
    package var nonceExtensions: @Sendable (_ nonce: [UInt8]) -> [CertificateExtension] = { [.appAttestNonce($0)] }
    /// The extensions after the nonce: the access control list.
    package var others: [CertificateExtension]
    package var signatureAlgorithm = CertificateBlueprint.SignatureAlgorithm.ecdsaWithSHA256

    /// Creates the leaf that a device gets.
    package init(key: AttestedKey, appID: String, device: AppAttestDevice, issuedAt: Date, organization: String) {
        let milliseconds = UInt64(max(0, issuedAt.timeIntervalSince1970 * 1000))
        serialNumber = (0..<6).reversed().map { UInt8(truncatingIfNeeded: milliseconds >> ($0 * 8)) }
        let digits = Array("0123456789abcdef".utf8)
        let hex = key.keyID.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
        subject = DistinguishedName([
            .init(.commonName, String(decoding: hex, as: UTF8.self)),
            .init(.organizationalUnit, "AAA Certification"),
            .init(.organization, organization), .init(.stateOrProvince, "California"),
        ])
        notBefore = issuedAt.addingTimeInterval(-86_400)
        notAfter = issuedAt.addingTimeInterval(2 * 86_400)
        subjectPublicKeyInfo = key.key.subjectPublicKeyInfo()
        descriptions = device.hasKeyUsage ? [.appAttestKeyUsage] : []
        descriptions.append(.appAttestPlatform(device.platform, appID: appID, form: device.systemForm))
        descriptions.append(
            .appAttestSystem(
                device.platform, version: device.systemVersion, build: device.build, train: device.buildTrain,
                form: device.systemForm))
        others = device.hasACL ? [.appAttestACL(device.platform.acl)] : []
    }

    /// Signs the certificate, DER.
    package func certificate(nonce: [UInt8], issuer: TestIssuer) throws(MintingError) -> [UInt8] {
        try CertificateBlueprint(
            serialNumber: serialNumber, issuer: issuer.name, subject: subject, notBefore: notBefore,
            notAfter: notAfter, subjectPublicKeyInfo: subjectPublicKeyInfo,
            extensions: constraints + descriptions + nonceExtensions(nonce) + others,
            signatureAlgorithm: signatureAlgorithm
        ).signed(by: issuer.key)
    }
}

/// A model of device and system. It determines the content of leaves and authenticator data.
public struct AppAttestDevice: Sendable {
    package var platform: AppAttestPlatform
    /// The version of the operating system, such as `26.2`.
    package var systemVersion: String
    /// The build of the operating system, such as `23C55`.
    package var build: String
    /// The build train, such as `23.3.55.0.0,0`.
    package var buildTrain: String
    /// The parts of the system extension.
    package var systemForm: AppAttestSystemForm
    /// True if the leaf has an extended key usage: since April 2026.
    package var hasKeyUsage: Bool
    /// True if the leaf has an access control list: since iOS 26.
    package var hasACL: Bool
    /// True if authenticator data has extensions: since iOS and macOS 27.
    package var hasExtensions: Bool

    package init(
        platform: AppAttestPlatform, systemVersion: String, build: String, buildTrain: String,
        systemForm: AppAttestSystemForm, hasKeyUsage: Bool, hasACL: Bool, hasExtensions: Bool
    ) {
        (self.platform, self.systemVersion, self.build) = (platform, systemVersion, build)
        (self.buildTrain, self.systemForm, self.hasKeyUsage) = (buildTrain, systemForm, hasKeyUsage)
        (self.hasACL, self.hasExtensions) = (hasACL, hasExtensions)
    }

    /// An iPhone of 2020.
    public static let iOS14 = AppAttestDevice(
        platform: .iOS, systemVersion: "14.2", build: "18B92", buildTrain: "18.2.92.0.0,0", systemForm: .version,
        hasKeyUsage: false, hasACL: false, hasExtensions: false)
    /// An iPhone of 2024.
    public static let iOS17 = AppAttestDevice(
        platform: .iOS, systemVersion: "17.3.1", build: "21D61", buildTrain: "21.4.61.0.0,0", systemForm: .build,
        hasKeyUsage: false, hasACL: false, hasExtensions: false)
    /// An iPhone of January 2026.
    public static let iOS26 = AppAttestDevice(
        platform: .iOS, systemVersion: "26.2", build: "23C55", buildTrain: "23.3.55.0.0,0", systemForm: .full,
        hasKeyUsage: false, hasACL: true, hasExtensions: false)
    /// An iPhone of autumn 2026.
    public static let iOS27 = AppAttestDevice(
        platform: .iOS, systemVersion: "27.0", build: "24A325", buildTrain: "24.1.325.0.0,0", systemForm: .full,
        hasKeyUsage: true, hasACL: true, hasExtensions: true)
    /// A Mac of autumn 2026.
    public static let macOS27 = AppAttestDevice(
        platform: .macOS, systemVersion: "27.0", build: "26A325", buildTrain: "26.1.325.0.0,0", systemForm: .full,
        hasKeyUsage: true, hasACL: true, hasExtensions: true)
}
