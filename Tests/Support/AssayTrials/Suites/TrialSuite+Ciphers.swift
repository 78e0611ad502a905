import AssayCore
import AssayPrimitives
import AssayTestSupport

/// Project Wycheproof: ciphers and key wrap.
extension TrialSuite {
    static var ciphers: [TrialSuite] { [gcm, keyWrap] }

    private struct GCM: Decodable {
        let count: Int
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

    /// AES-256-GCM opens only authentic ciphertexts, and sealing gives the same bytes. Other key, IV and tag lengths
    /// are rejected.
    private static var gcm: TrialSuite {
        wycheproof("aes_gcm", exercises: "`AESGCM`") { file in
            let suite = try SharedFiles.json(file, as: GCM.self)
            var report = SuiteReport(cases: suite.count)
            var otherLengths: Set<String> = []
            for group in suite.testGroups {
                let isOurs = group.keySize == 256 && group.ivSize == 96 && group.tagSize == 128
                for test in group.tests {
                    if !isOurs { otherLengths.insert("\(test.tcId)") }
                    try judge(test, isOurs: isOurs, &report)
                }
            }
            let lengths = otherLengths
            report.register = [
                Divergence(
                    all: "other lengths", where: { lengths.contains($0) },
                    "keys have 32 bytes, nonces 12 and tags 16, as in A256GCM")
            ]
            return report
        }
    }

    private static func judge(_ test: GCM.Case, isOurs: Bool, _ report: inout SuiteReport) throws {
        let key = SecretBytes(try bytes(test.key))
        let (nonce, tag) = (try bytes(test.iv), try bytes(test.tag))
        let (data, message) = (try bytes(test.aad), try bytes(test.msg))
        let ciphertext = try bytes(test.ct)
        let opened = AESGCM.open(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data[...])
        let secret = AESGCM.openSecret(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data[...])
        report.require(
            secret.map { $0.withUnsafeBytes { Array($0) } } == opened, "\(test.tcId): the two ways of opening differ")
        report.record("\(test.tcId)", expected: test.result == "valid", accepted: opened != nil)
        report.require(opened == nil || opened == message, "\(test.tcId): another plaintext")
        guard isOurs, test.result == "valid" else { return }
        let sealed = try AESGCM.seal(SecretBytes(message), key: key, nonce: nonce, additionalData: data[...])
        report.require(sealed.ciphertext == ciphertext && sealed.tag == tag, "\(test.tcId) is sealed to other bytes")
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

    /// Unwraps exactly the keys of 32 bytes wrapped under a key of 32 bytes.
    private static var keyWrap: TrialSuite {
        wycheproof("aes_wrap", exercises: "`AESKeyWrap`") { file in
            let suite = try SharedFiles.json(file, as: Wrap.self)
            var report = SuiteReport(cases: suite.count)
            var otherLengths: Set<String> = []
            for group in suite.testGroups {
                for test in group.tests {
                    let message = try bytes(test.msg)
                    if group.keySize != 256 || message.count != 32 { otherLengths.insert("\(test.tcId)") }
                    let unwrapped = AESKeyWrap.unwrap(try bytes(test.ct), key: SecretBytes(try bytes(test.key)))
                    report.record("\(test.tcId)", expected: test.result == "valid", accepted: unwrapped != nil)
                    report.require(
                        unwrapped.map { $0.withUnsafeBytes { Array($0) } == message } ?? true,
                        "\(test.tcId): another key")
                }
            }
            let lengths = otherLengths
            report.register = [
                Divergence(
                    all: "other lengths", where: { lengths.contains($0) },
                    "only keys of 32 bytes are unwrapped, under keys of 32 bytes")
            ]
            return report
        }
    }
}
