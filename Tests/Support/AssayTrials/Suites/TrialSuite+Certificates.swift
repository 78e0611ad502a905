import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation

/// Certificates, their signatures, and CMS messages.
extension TrialSuite {
    static var certificates: [TrialSuite] {
        paths + [boringSSLCertificates, boringSSLSignedData, messageSignatures, messagePaths]
    }

    private struct Certificates: Decodable {
        let count: Int
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let kind: String
            let der: Data
            let expected: String
        }
    }

    private static let placeholders = "its parts are placeholders that only a parser of the outermost level takes"
    private static let falseIsDefault = "FALSE is the default, which DER leaves out (X.690 11.5)"
    private static let positive = "serial numbers are positive, RFC 5280 4.1.2.2"
    private static let twentyBytes = "at most 20 bytes, RFC 5280 4.1.2.2"

    /// BoringSSL's parser tests for certificates: Assay accepts nothing that BoringSSL rejects. Each tbsCertificate is
    /// wrapped in a certificate, each authorityKeyIdentifier in a minted certificate.
    private static var boringSSLCertificates: TrialSuite {
        let file = "suites/x509/boringssl_parse_certificate.json"
        return TrialSuite("BoringSSL parse_certificate", file: file, exercises: "`Certificate`") {
            let suite = try SharedFiles.json(file, as: Certificates.self)
            var report = SuiteReport(
                cases: suite.count,
                register: [
                    Divergence("cert_skeleton", placeholders),
                    Divergence("signature_algorithm_null", "an AlgorithmIdentifier begins with an OBJECT IDENTIFIER"),
                    Divergence("failed_signature_algorithm", "the two algorithms differ, RFC 5280 4.1.1.2"),
                    Divergence("basic_constraints_ca_false", falseIsDefault),
                    Divergence("cert_version3", falseIsDefault),
                    Divergence("basic_constraints_pathlen_not_ca", "pathLenConstraint only with cA, RFC 5280 4.2.1.9"),
                    Divergence("serial_37_bytes", twentyBytes),
                    Divergence("serial_zero_padded_21_bytes", twentyBytes),
                    Divergence("serial_negative", positive),
                    Divergence("serial_zero", positive),
                    Divergence(
                        "subject_printable_string_containing_utf8_client_cert",
                        "not in the alphabet of PrintableString"),
                    Divergence(all: "tbs", where: { $0.hasPrefix("tbs_") }, placeholders),
                ])
            for test in suite.cases {
                let der = Array(test.der)
                let certificate: [UInt8] =
                    switch test.kind {
                    case "tbs":
                        // The algorithm that the placeholders state, and an empty signature.
                        DERBuilder.element(0x30, der + [0x30, 0x03, 0x04, 0x01, 0x01, 0x03, 0x01, 0x00])
                    case "authorityKeyIdentifier": try certificate(withAuthorityKeyIdentifier: der)
                    default: der
                    }
                report.record(
                    test.id, expected: test.expected == "accept",
                    accepted: (try? Certificate(der: certificate[...])) != nil)
            }
            return report
        }
    }

    private static func certificate(withAuthorityKeyIdentifier value: [UInt8]) throws -> [UInt8] {
        let key = TestKey(.p256, seed: "suites", label: "authority key identifier")
        let name = DistinguishedName([.init(.commonName, "suites")])
        return try CertificateBlueprint(
            serialNumber: [1], issuer: name, subject: name, notBefore: Date(timeIntervalSince1970: 1_700_000_000),
            notAfter: Date(timeIntervalSince1970: 1_800_000_000), subjectPublicKeyInfo: key.subjectPublicKeyInfo(),
            extensions: [CertificateExtension([2, 5, 29, 35], value: value)]
        ).signed(by: key)
    }

    private struct SignedData: Decodable {
        let count: Int
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let spki: Data
            let algorithm: Data
            let data: Data
            let signature: Data
            let expected: String
        }
    }

    /// BoringSSL's tests of signatures, each with AlgorithmIdentifier, BIT STRING and key.
    private static var boringSSLSignedData: TrialSuite {
        let file = "suites/x509/boringssl_signed_data.json"
        return TrialSuite(
            "BoringSSL verify_signed_data", file: file,
            exercises: "`Certificate.SignatureAlgorithm`, `DERReader`, `ECDSAPublicKey`, `RSAPublicKey`"
        ) {
            let suite = try SharedFiles.json(file, as: SignedData.self)
            let others = "only ECDSA with SHA-256 or SHA-384 and RSASSA-PKCS1-v1_5 with SHA-256 are verified"
            var report = SuiteReport(
                cases: suite.count,
                register: [
                    Divergence("ecdsa-prime256v1-sha512", others), Divergence("rsa-pkcs1-sha1", others),
                    Divergence("rsa-pss-sha256", others), Divergence("rsa2048-pkcs1-sha512", others),
                    Divergence("rsa-pkcs1-sha256", "RSA keys have 2048 bits or more"),
                ])
            for test in suite.cases {
                report.record(test.id, expected: test.expected == "accept", accepted: (try? isValid(test)) ?? false)
            }
            return report
        }
    }

    private static func isValid(_ test: SignedData.Case) throws -> Bool {
        let algorithm = try Certificate.SignatureAlgorithm(
            DERReader.single(.sequence, in: Array(test.algorithm)[...]))
        let signature = try DERReader.single(.bitString, in: Array(test.signature)[...]).bitStringBytes()
        let (info, data) = (Array(test.spki), Array(test.data))
        switch algorithm {
        case .ecdsaSHA256, .ecdsaSHA384:
            let key = try ECDSAPublicKey(subjectPublicKeyInfo: info[...])
            let digest: ECDSAPublicKey.SignatureDigest = algorithm == .ecdsaSHA256 ? .sha256 : .sha384
            return key.isValidSignature(der: signature, for: data, digest: digest)
        case .rsaSHA256:
            return try RSAPublicKey(subjectPublicKeyInfo: info[...])
                .verifyPKCS1SHA256(Array(signature), for: data[...])
        case .ecdsaSHA512, .rsaSHA384, .rsaSHA512, .other: return false
        }
    }

    private struct Messages: Decodable {
        let trustAnchor: Data
        let time: Double
        let count: Int
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let cms: Data
            let content: Data?
            let expected: String
            let signatureOnly: String

            func verified() -> CMSSignedData.Verified? {
                try? CMSSignedData.verify(Array(cms)[...], detachedContent: content.map { Array($0) }).get()
            }
        }
    }

    private static let messageFile = "suites/cms/cms_signed.json"

    /// Accepts a message if its signature is valid.
    private static var messageSignatures: TrialSuite {
        TrialSuite("PKITS S/MIME, OpenSSL CMS: signatures", file: messageFile, exercises: "`CMSSignedData`") {
            let suite = try SharedFiles.json(messageFile, as: Messages.self)
            var report = SuiteReport(cases: suite.count)
            for test in suite.cases {
                let verified = test.verified()
                report.record(test.id, expected: test.signatureOnly == "accept", accepted: verified != nil)
                if let verified, let content = test.content {
                    report.require(verified.content == Array(content), "\(test.id): another content")
                }
            }
            return report
        }
    }

    /// Accepts a message if its signature and its signer's path are valid. A second validation must agree.
    private static var messagePaths: TrialSuite {
        TrialSuite(
            "PKITS S/MIME, OpenSSL CMS: signatures and paths", file: messageFile,
            exercises: "`CMSSignedData`, `CertificatePathValidator`"
        ) {
            let suite = try SharedFiles.json(messageFile, as: Messages.self)
            let validator = CertificatePathValidator(
                anchors: [try Certificate(der: Array(suite.trustAnchor)[...])], algorithms: .ecdsaAndRSA)
            let now = Date(timeIntervalSince1970: suite.time)
            let reason = "the signer is a certification authority"
            var report = SuiteReport(
                cases: suite.count,
                register: [Divergence("pkits/4.6.8", reason), Divergence("pkits/4.6.14", reason)])
            for test in suite.cases {
                report.record(
                    test.id, expected: test.expected == "accept",
                    accepted: test.verified().map { isTrusted($0, validator, now) } ?? false)
            }
            return report
        }
    }

    private static func isTrusted(
        _ message: CMSSignedData.Verified, _ validator: CertificatePathValidator, _ now: Date
    ) -> Bool {
        guard let signer = try? Certificate(der: message.signer[...]) else { return false }
        let others = message.certificates.compactMap { try? Certificate(der: $0[...]) }
        let result = validator.validate(signer, intermediates: others, at: now, rememberLeaf: true)
        let again = validator.validate(signer, intermediates: others, at: now, rememberLeaf: true)
        guard case .success = result, case .success = again else { return false }
        return true
    }
}
