import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// BoringSSL's parser tests for certificates.
@Suite(.enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct CertificateSuites {
    private struct Suite: Decodable {
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let kind: String
            let der: Data
            let expected: String
        }
    }

    @Test("BoringSSL's certificates: nothing that it refuses is accepted")
    func boringSSL() throws {
        let suite = try SharedFiles.json("suites/x509/boringssl_parse_certificate.json", as: Suite.self)
        var report = SuiteReport()
        for test in suite.cases where test.kind == "certificate" {
            let certificate = try? Certificate(der: Array(test.der)[...])
            report.record(test.id, expected: test.expected == "accept", accepted: certificate != nil)
        }
        #expect(report.problems(cases: 71, register: CertificateSuites.register) == [])
    }

    private static let register = [
        Divergence("cert_skeleton", "its parts are placeholders that only a parser of the outermost level takes"),
        Divergence("signature_algorithm_null", "an AlgorithmIdentifier begins with an OBJECT IDENTIFIER"),
        Divergence("failed_signature_algorithm", "the two algorithms differ, RFC 5280 4.1.1.2"),
        Divergence("basic_constraints_ca_false", "FALSE is the default, which DER leaves out (X.690 11.5)"),
        Divergence("cert_version3", "FALSE is the default, which DER leaves out (X.690 11.5)"),
        Divergence("basic_constraints_pathlen_not_ca", "pathLenConstraint only with cA, RFC 5280 4.2.1.9"),
        Divergence("serial_37_bytes", "at most 20 bytes, RFC 5280 4.1.2.2"),
        Divergence("serial_zero_padded_21_bytes", "at most 20 bytes, RFC 5280 4.1.2.2"),
        Divergence("serial_negative", "serial numbers are positive, RFC 5280 4.1.2.2"),
        Divergence("serial_zero", "serial numbers are positive, RFC 5280 4.1.2.2"),
        Divergence("subject_printable_string_containing_utf8_client_cert", "not in the alphabet of PrintableString"),
    ]
}
