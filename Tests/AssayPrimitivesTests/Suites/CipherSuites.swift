import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// Project Wycheproof: ciphers, key wrap, and signatures in the forms that JOSE has.
@Suite("Third-party suites: ciphers", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct CipherSuites {
    private struct GCM: Decodable {
        let testGroups: [Group]
        struct Group: Decodable {
            let keySize: Int
            let ivSize: Int
            let tagSize: Int
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId: Int
            let key: String
            let iv: String
            let aad: String
            let msg: String
            let ct: String
            let tag: String
            let result: String
        }
    }

    private static func bytes(_ hex: String) throws -> [UInt8] { try #require([UInt8](hex: hex)) }

    @Test("AES-256-GCM opens exactly what is authentic, and seals to the same bytes")
    func gcm() throws {
        let suite = try SharedFiles.json("suites/wycheproof/aes_gcm.json", as: GCM.self)
        var report = SuiteReport()
        var others: [String] = []
        for group in suite.testGroups {
            let isOurs = group.keySize == 256 && group.ivSize == 96 && group.tagSize == 128
            for test in group.tests {
                let key = SecretBytes(try Self.bytes(test.key))
                let (nonce, tag) = (try Self.bytes(test.iv), try Self.bytes(test.tag))
                let (data, message) = (try Self.bytes(test.aad), try Self.bytes(test.msg))
                let ciphertext = try Self.bytes(test.ct)
                let opened = AESGCM.open(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data[...])
                let secret = AESGCM.openSecret(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data[...])
                #expect(secret.map { $0.withUnsafeBytes { Array($0) } } == opened)
                guard isOurs else {
                    if opened != nil { others.append("\(test.tcId)") }
                    continue
                }
                report.record("\(test.tcId)", expected: test.result == "valid", accepted: opened == message)
                if test.result == "invalid" { #expect(opened == nil, "\(test.tcId)") }
                guard test.result == "valid" else { continue }
                let sealed = try AESGCM.seal(
                    SecretBytes(message), key: key, nonce: nonce, additionalData: data[...])
                #expect(sealed.ciphertext == ciphertext && sealed.tag == tag, "\(test.tcId)")
            }
        }
        #expect(report.problems(cases: 66) == [])
        #expect(others == [], "other lengths of key, nonce and tag are refused")
    }

    private struct Wrap: Decodable {
        let count: Int
        let testGroups: [Group]
        struct Group: Decodable {
            let keySize: Int
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId: Int
            let key: String
            let msg: String
            let ct: String
            let result: String
        }
    }

    @Test("A wrapped key is unwrapped exactly when it is one of 32 bytes, under a key of 32 bytes")
    func keyWrap() throws {
        let suite = try SharedFiles.json("suites/wycheproof/aes_wrap.json", as: Wrap.self)
        var report = SuiteReport()
        var otherLengths: Set<String> = []
        for group in suite.testGroups {
            for test in group.tests {
                let message = try Self.bytes(test.msg)
                if group.keySize != 256 || message.count != 32 { otherLengths.insert("\(test.tcId)") }
                let unwrapped = AESKeyWrap.unwrap(try Self.bytes(test.ct), key: SecretBytes(try Self.bytes(test.key)))
                report.record("\(test.tcId)", expected: test.result == "valid", accepted: unwrapped != nil)
                if let unwrapped { #expect(unwrapped.withUnsafeBytes { Array($0) } == message) }
            }
        }
        let lengths = otherLengths
        let register = [
            Divergence(all: "other lengths", where: { lengths.contains($0) }, "only keys of 32 bytes are unwrapped")
        ]
        #expect(report.problems(cases: suite.count, register: register) == [])
    }

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
        "ECDSA signatures of two numbers are accepted exactly when they are valid and of the one length",
        arguments: [
            ("ecdsa_secp256r1_sha256_p1363", ECDSAPublicKey.SignatureDigest.sha256),
            ("ecdsa_secp384r1_sha384_p1363", .sha384),
        ])
    func ecdsa(file: String, digest: ECDSAPublicKey.SignatureDigest) throws {
        let suite = try SharedFiles.json("suites/wycheproof/\(file).json", as: Signatures.self)
        var report = SuiteReport()
        for group in suite.testGroups {
            let key = try ECDSAPublicKey(subjectPublicKeyInfo: Self.bytes(group.publicKeyDer)[...])
            for test in group.tests {
                let isValid = key.isValidSignature(
                    p1363: try Self.bytes(test.sig), for: try Self.bytes(test.msg)[...], digest: digest)
                report.record("\(test.tcId)", expected: test.result == "valid", accepted: isValid)
            }
        }
        #expect(report.problems(cases: suite.count) == [])
    }

    @Test(
        "RSASSA-PKCS1-v1_5 signatures are accepted exactly when they are valid and in their one encoding",
        arguments: ["rsa_signature_2048_sha256", "rsa_signature_4096_sha256"])
    func rsa(file: String) throws {
        let suite = try SharedFiles.json("suites/wycheproof/\(file).json", as: Signatures.self)
        var report = SuiteReport()
        for group in suite.testGroups {
            let info = try Self.bytes(group.publicKeyDer)
            let key = try RSAPublicKey(subjectPublicKeyInfo: info[...])
            #expect(key.subjectPublicKeyInfo == info)
            for test in group.tests {
                let message = try Self.bytes(test.msg)
                let isValid = key.verifyPKCS1SHA256(try Self.bytes(test.sig), for: message[...])
                // What the suite calls acceptable lacks a NULL that RFC 8017 demands.
                report.record("\(test.tcId)", expected: test.result == "valid", accepted: isValid)
            }
        }
        #expect(report.problems(cases: suite.count) == [])
    }
}
