package import FoundationEssentials

/// A certificate with its private key: a root, an intermediate, or a receipt signer.
package struct TestIssuer: Sendable {
    /// The subject's name.
    package let name: DistinguishedName
    /// The issuer's name.
    package let issuerName: DistinguishedName
    /// The serial number, big-endian.
    package let serialNumber: [UInt8]
    package let key: TestKey
    /// The certificate, DER.
    package let certificate: [UInt8]

    /// Combines a DER certificate with its key. Names and serial number come from the certificate.
    package init(
        name: DistinguishedName, issuerName: DistinguishedName, serialNumber: [UInt8], key: TestKey,
        certificate: [UInt8]
    ) {
        (self.name, self.issuerName, self.serialNumber) = (name, issuerName, serialNumber)
        (self.key, self.certificate) = (key, certificate)
    }

    /// Creates a self-signed certificate.
    package static func selfSigned(
        name: DistinguishedName, key: TestKey, notBefore: Date, notAfter: Date
    ) throws(MintingError) -> TestIssuer {
        let serialNumber = serialNumber(of: name, key: key)
        let certificate = try CertificateBlueprint(
            serialNumber: serialNumber, issuer: name, subject: name, notBefore: notBefore, notAfter: notAfter,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo(),
            extensions: [
                .basicConstraints(isCA: true), .subjectKeyIdentifier(point: key.publicPoint), .keyUsage(0x06),
            ],
            signatureAlgorithm: .ecdsaWithSHA384
        ).signed(by: key)
        return TestIssuer(
            name: name, issuerName: name, serialNumber: serialNumber, key: key, certificate: certificate)
    }

    package func issue(
        name: DistinguishedName, key: TestKey, notBefore: Date, notAfter: Date, extensions: [CertificateExtension],
        signatureAlgorithm: CertificateBlueprint.SignatureAlgorithm = .ecdsaWithSHA384
    ) throws(MintingError) -> TestIssuer {
        let serialNumber = Self.serialNumber(of: name, key: key)
        let certificate = try CertificateBlueprint(
            serialNumber: serialNumber, issuer: self.name, subject: name, notBefore: notBefore, notAfter: notAfter,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo(), extensions: extensions,
            signatureAlgorithm: signatureAlgorithm
        ).signed(by: self.key)
        return TestIssuer(
            name: name, issuerName: self.name, serialNumber: serialNumber, key: key, certificate: certificate)
    }

    /// The certificate in PEM (RFC 7468).
    package var pem: String {
        PEM.encode(certificate, label: "CERTIFICATE")
    }

    /// 16 bytes derived from the name and the key, so that an authority is reproducible.
    private static func serialNumber(of name: DistinguishedName, key: TestKey) -> [UInt8] {
        [0x66] + sha256(name.encoded + key.publicPoint).prefix(15)
    }
}

/// The text form of DER (RFC 7468).
enum PEM {
    static func encode(_ bytes: [UInt8], label: String) -> String {
        let text = Array(Data(bytes).base64EncodedString().utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return "-----BEGIN \(label)-----\n" + lines.joined(separator: "\n") + "\n-----END \(label)-----\n"
    }
}
