import AssayPrimitives
import AssayTestSupport

/// Project Wycheproof: signatures, keys and MACs with known implementation errors.
extension TrialSuite {
    static var signatures: [TrialSuite] {
        [
            der("ecdsa_secp256r1_sha256", .sha256), der("ecdsa_secp384r1_sha256", .sha256),
            der("ecdsa_secp384r1_sha384", .sha384), p1363("ecdsa_secp256r1_sha256_p1363", .sha256),
            p1363("ecdsa_secp384r1_sha384_p1363", .sha384), rsa("rsa_signature_2048_sha256"),
            rsa("rsa_signature_4096_sha256"), keys("spki_p256", .p256), keys("spki_p384", .p384), macs,
        ]
    }

    static func wycheproof(
        _ name: String, exercises: String, run body: @escaping @Sendable (_ file: String) throws -> SuiteReport
    ) -> TrialSuite {
        let file = "suites/wycheproof/\(name).json"
        return TrialSuite("Wycheproof \(name)", file: file, exercises: exercises) { try body(file) }
    }

    static func bytes(_ hex: String) throws -> [UInt8] { try need([UInt8](hex: hex)) }

    private struct Signatures: Decodable {
        let count: Int
        let testGroups: [Group]
        struct Group: Decodable {
            let publicKeyDer: String
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId: Int
            let msg: String
            let sig: String
            let result: String
        }
    }

    /// Accepts exactly the valid ECDSA signatures in canonical DER.
    private static func der(_ name: String, _ digest: ECDSAPublicKey.SignatureDigest) -> TrialSuite {
        wycheproof(name, exercises: "`ECDSAPublicKey`, DER signatures") { file in
            let suite = try SharedFiles.json(file, as: Signatures.self)
            var report = SuiteReport(cases: suite.count)
            for group in suite.testGroups {
                let key = try ECDSAPublicKey(subjectPublicKeyInfo: bytes(group.publicKeyDer)[...])
                for test in group.tests {
                    let isValid = key.isValidSignature(
                        der: try bytes(test.sig)[...], for: try bytes(test.msg), digest: digest)
                    report.record("\(test.tcId)", expected: test.result == "valid", accepted: isValid)
                }
            }
            return report
        }
    }

    /// Accepts exactly the valid ECDSA signatures of two numbers with the correct length.
    private static func p1363(_ name: String, _ digest: ECDSAPublicKey.SignatureDigest) -> TrialSuite {
        wycheproof(name, exercises: "`ECDSAPublicKey`, signatures of JOSE and RFC 9421") { file in
            let suite = try SharedFiles.json(file, as: Signatures.self)
            var report = SuiteReport(cases: suite.count)
            for group in suite.testGroups {
                let key = try ECDSAPublicKey(subjectPublicKeyInfo: bytes(group.publicKeyDer)[...])
                for test in group.tests {
                    let isValid = key.isValidSignature(
                        p1363: try bytes(test.sig), for: try bytes(test.msg)[...], digest: digest)
                    report.record("\(test.tcId)", expected: test.result == "valid", accepted: isValid)
                }
            }
            return report
        }
    }

    /// Accepts exactly the valid RSASSA-PKCS1-v1_5 signatures in the canonical encoding. Signatures that the suite
    /// calls acceptable lack a NULL that RFC 8017 demands.
    private static func rsa(_ name: String) -> TrialSuite {
        wycheproof(name, exercises: "`RSAPublicKey`, PKCS #1 v1.5") { file in
            let suite = try SharedFiles.json(file, as: Signatures.self)
            var report = SuiteReport(cases: suite.count)
            for group in suite.testGroups {
                let info = try bytes(group.publicKeyDer)
                let key = try RSAPublicKey(subjectPublicKeyInfo: info[...])
                report.require(key.subjectPublicKeyInfo == info, "a key is not kept as it was read")
                for test in group.tests {
                    let message = try bytes(test.msg)
                    let isValid = key.verifyPKCS1SHA256(try bytes(test.sig), for: message[...])
                    report.record("\(test.tcId)", expected: test.result == "valid", accepted: isValid)
                }
            }
            return report
        }
    }

    private struct Keys: Decodable {
        let count: Int
        let cases: [Case]
        struct Case: Decodable {
            let tcId: Int
            let spki: String
            let strict: String
        }
    }

    /// Accepts a SubjectPublicKeyInfo only in its canonical encoding, with a named curve and a point on it.
    private static func keys(_ name: String, _ curve: ECDSAPublicKey.Curve) -> TrialSuite {
        wycheproof(name, exercises: "`ECDSAPublicKey`, SubjectPublicKeyInfo") { file in
            let suite = try SharedFiles.json(file, as: Keys.self)
            var report = SuiteReport(cases: suite.count)
            for test in suite.cases {
                let spki = try bytes(test.spki)
                let key = try? ECDSAPublicKey(subjectPublicKeyInfo: spki[...])
                let expected = test.strict == "either" ? nil : test.strict == "accept"
                report.record("\(test.tcId)", expected: expected, accepted: key?.curve == curve)
                report.require(
                    key.map { $0.subjectPublicKeyInfo == spki } ?? true, "\(test.tcId) is not kept as it was read")
            }
            return report
        }
    }

    private struct MACs: Decodable {
        let count: Int
        let testGroups: [Group]
        struct Group: Decodable {
            let tagSize: Int
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId: Int
            let key: String
            let msg: String
            let tag: String
            let result: String
        }
    }

    /// HMAC-SHA-256 gives exactly the tags of the suite, truncated where the suite truncates them.
    private static var macs: TrialSuite {
        wycheproof("hmac_sha256", exercises: "`HMAC`, `ConstantTime`") { file in
            let suite = try SharedFiles.json(file, as: MACs.self)
            var report = SuiteReport(cases: suite.count)
            for group in suite.testGroups {
                for test in group.tests {
                    let tag = try bytes(test.tag)
                    let computed = HMAC.sha256(key: try bytes(test.key), try bytes(test.msg)).prefix(group.tagSize / 8)
                    report.record(
                        "\(test.tcId)", expected: test.result == "valid",
                        accepted: ConstantTime.equals(computed, tag[...]))
                }
            }
            return report
        }
    }
}
