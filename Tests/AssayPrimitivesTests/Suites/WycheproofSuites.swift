import AssayPrimitives
import AssayTestSupport
import Testing

/// Project Wycheproof: signatures, keys and MACs that implementations have been wrong about.
@Suite(.enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct WycheproofSuites {
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

    @Test(
        "DER ECDSA signatures are accepted exactly when they are valid and in their one encoding",
        arguments: [
            ("ecdsa_secp256r1_sha256", ECDSAPublicKey.SignatureDigest.sha256), ("ecdsa_secp384r1_sha256", .sha256),
            ("ecdsa_secp384r1_sha384", .sha384),
        ])
    func ecdsa(file: String, digest: ECDSAPublicKey.SignatureDigest) throws {
        let suite = try SharedFiles.json("suites/wycheproof/\(file).json", as: Signatures.self)
        var report = SuiteReport()
        for group in suite.testGroups {
            let spki = try #require([UInt8](hex: group.publicKeyDer))
            let key = try ECDSAPublicKey(subjectPublicKeyInfo: spki[...])
            for test in group.tests {
                let message = try #require([UInt8](hex: test.msg))
                let signature = try #require([UInt8](hex: test.sig))
                let isValid = key.isValidSignature(der: signature[...], for: message, digest: digest)
                report.record("\(test.tcId)", expected: test.result == "valid", accepted: isValid)
            }
        }
        #expect(report.problems(cases: suite.count) == [])
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

    @Test(
        "A SubjectPublicKeyInfo is accepted only in its one encoding, with a named curve and a point on it",
        arguments: [("spki_p256", ECDSAPublicKey.Curve.p256), ("spki_p384", .p384)])
    func subjectPublicKeyInfo(file: String, curve: ECDSAPublicKey.Curve) throws {
        let suite = try SharedFiles.json("suites/wycheproof/\(file).json", as: Keys.self)
        var report = SuiteReport()
        for test in suite.cases {
            let spki = try #require([UInt8](hex: test.spki))
            let key = try? ECDSAPublicKey(subjectPublicKeyInfo: spki[...])
            let expected = test.strict == "either" ? nil : test.strict == "accept"
            report.record("\(test.tcId)", expected: expected, accepted: key?.curve == curve)
            if let key { #expect(key.subjectPublicKeyInfo == spki) }
        }
        #expect(report.problems(cases: suite.count) == [])
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

    @Test("HMAC-SHA-256 gives the tags of the suite, truncated where it truncates, and no others")
    func hmac() throws {
        let suite = try SharedFiles.json("suites/wycheproof/hmac_sha256.json", as: MACs.self)
        var report = SuiteReport()
        for group in suite.testGroups {
            for test in group.tests {
                let key = try #require([UInt8](hex: test.key))
                let message = try #require([UInt8](hex: test.msg))
                let tag = try #require([UInt8](hex: test.tag))
                let computed = HMAC.sha256(key: key, message).prefix(group.tagSize / 8)
                report.record(
                    "\(test.tcId)", expected: test.result == "valid",
                    accepted: ConstantTime.equals(computed, tag[...]))
            }
        }
        #expect(report.problems(cases: suite.count) == [])
    }
}
