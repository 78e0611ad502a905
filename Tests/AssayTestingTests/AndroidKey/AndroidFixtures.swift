import AssayPrimitives
import AssayTesting
import Foundation

/// A fixed authority, key and app for chains of Android.
enum AndroidFixtures {
    static let digest = [UInt8](repeating: 7, count: 32)
    static let challenge = Array("challenge".utf8)
    static let authority = Result {
        try AndroidKeyTestAuthority(seed: "tests", notBefore: Fixtures.time.addingTimeInterval(-400 * 86_400))
    }

    static func blueprint(
        _ device: AndroidKeyDevice, _ algorithm: AndroidAttestedKey.Algorithm = .p256
    ) throws -> AndroidKeyAttestationBlueprint {
        try AndroidKeyAttestationBlueprint(
            authority: authority.get(), key: AndroidAttestedKey(algorithm, seed: "tests", label: "device"),
            packageName: "com.example.shop", certificateDigest: digest, versionCode: 42, device: device,
            challenge: challenge, issuedAt: Fixtures.time)
    }

    /// The certificate in PEM.
    static func pem(_ blueprint: AndroidCertificateBlueprint) throws -> String {
        let text = Data(try blueprint.certificate()).base64EncodedString(options: [.lineLength64Characters])
        return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }

    /// True if the key of `issuer` has signed `certificate`, as AssayPrimitives verifies.
    static func isSigned(_ certificate: Certificate, by issuer: Certificate) throws -> Bool {
        switch certificate.signatureAlgorithm {
        case .ecdsaSHA256, .ecdsaSHA384:
            try issuer.publicKey().isValidSignature(
                der: certificate.signature, for: Array(certificate.tbsBytes),
                digest: certificate.signatureAlgorithm == .ecdsaSHA256 ? .sha256 : .sha384)
        case .rsaSHA256:
            try RSAPublicKey(subjectPublicKeyInfo: issuer.subjectPublicKeyInfo).verifyPKCS1SHA256(
                Array(certificate.signature), for: certificate.tbsBytes)
        case .ecdsaSHA512, .rsaSHA384, .rsaSHA512, .other: false
        }
    }

    /// The fields of the description in a certificate; nil without one.
    static func description(in certificate: [UInt8]) throws -> [DERElement]? {
        let identifier = ObjectIdentifier(1, 3, 6, 1, 4, 1, 11129, 2, 1, 17)
        guard let found = try Certificate(der: certificate[...]).extension(identifier) else { return nil }
        return try elements(DERReader.single(.sequence, in: found.value))
    }

    static func elements(_ element: DERElement) throws -> [DERElement] {
        var (reader, found) = (element.reader, [DERElement]())
        while !reader.isAtEnd { found.append(try reader.read()) }
        return found
    }
}
