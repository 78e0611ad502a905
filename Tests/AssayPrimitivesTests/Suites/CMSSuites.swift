import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// S/MIME messages of NIST PKITS, and OpenSSL's messages with wrong attributes.
@Suite(.enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct CMSSuites {
    private struct Suite: Decodable {
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
        }
    }

    @Test("A message is accepted when its signature holds, and trusted when its signer's path does")
    func signedData() throws {
        let suite = try SharedFiles.json("suites/cms/cms_signed.json", as: Suite.self)
        let validator = CertificatePathValidator(
            anchors: [try Certificate(der: Array(suite.trustAnchor)[...])], algorithms: .ecdsaAndRSA)
        let now = Date(timeIntervalSince1970: suite.time)
        var signatures = SuiteReport()
        var paths = SuiteReport()
        for test in suite.cases {
            let result = CMSSignedData.verify(Array(test.cms)[...], detachedContent: test.content.map { Array($0) })
            let verified = try? result.get()
            signatures.record(test.id, expected: test.signatureOnly == "accept", accepted: verified != nil)
            if let verified, let content = test.content { #expect(verified.content == Array(content)) }
            paths.record(
                test.id, expected: test.expected == "accept",
                accepted: verified.map { isTrusted($0, validator, now) } ?? false)
        }
        #expect(signatures.problems(cases: suite.count) == [])
        let register = ["pkits/4.6.8", "pkits/4.6.14"].map { Divergence($0, "the signer is a certification authority") }
        #expect(paths.problems(cases: suite.count, register: register) == [])
    }

    private func isTrusted(
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
