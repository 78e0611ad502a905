import AssayPrimitives
import AssayTestSupport
import Foundation

/// Suites of certificate paths.
extension TrialSuite {
    static var paths: [TrialSuite] { [limbo, pkits, boringSSLChains] }

    private static let exercised = "`CertificatePathValidator`, `Certificate`"
    private static let leafIsCA = "the leaf is a certification authority, or says what only one may say"
    private static let noNameConstraints = "name constraints are not processed, RFC 5280 4.2.1.10"

    private struct Limbo: Decodable {
        let count: Int
        let certs: [Data]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let tier: String
            let expected: String
            let trusted: [Int]
            let intermediates: [Int]
            let leaf: Int
            let time: String?
        }
    }

    /// Rules of RFC 5280 sections 4.2.1.1, 4.2.1.2 and 4.2.1.9 for conforming issuers. Section 6, the rules for
    /// verifiers, does not demand them, and Apple's leaves have no key identifiers.
    private static let issuersOnly: Set = [
        "rfc5280::aki::leaf-missing-aki", "rfc5280::aki::intermediate-missing-aki",
        "rfc5280::aki::cross-signed-root-missing-aki", "rfc5280::ski::root-missing-ski",
        "rfc5280::ski::intermediate-missing-ski", "rfc5280::root-missing-basic-constraints",
        "rfc5280::root-non-critical-basic-constraints",
    ]

    private static func inapplicable(_ test: Limbo.Case) -> String? {
        switch (test.tier, test.expected) {
        case ("crl", "reject"):
            "refused for what a CRL says; Assay reads none, and Apple's paths name none that it needs"
        case ("depth", "reject"): "refused for a length of path that the caller sets; there is no such argument"
        case ("strict", _) where issuersOnly.contains(test.id):
            "a rule for issuers, which section 6 of RFC 5280 does not ask verifiers to check"
        default: nil
        }
    }

    private static var limbo: TrialSuite {
        let file = "suites/limbo/limbo-subset.json"
        return TrialSuite("x509-limbo", file: file, exercises: exercised) {
            let suite = try SharedFiles.json(file, as: Limbo.self)
            let constrained = Set(suite.cases.filter { $0.tier == "nameConstraints" }.map(\.id))
            var report = SuiteReport(
                cases: suite.count,
                register: [
                    Divergence("pathlen::validation-ignores-pathlen-in-leaf", leafIsCA),
                    Divergence("rfc5280::ca-as-leaf", leafIsCA),
                    Divergence(
                        "online::fastly.com", "the anchor's serial number is 0, RFC 5280 4.1.2.2 wants it positive"),
                    Divergence(all: "name constraints", where: { constrained.contains($0) }, noNameConstraints),
                ])
            var cases: [PathCase] = []
            for test in suite.cases {
                if let reason = inapplicable(test) {
                    report.skip(test.id, reason)
                    continue
                }
                let time = test.time ?? "2024-06-01T00:00:00+00:00"
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: time.contains("."))
                cases.append(
                    PathCase(
                        id: test.id, isAccepted: test.expected == "accept",
                        anchors: test.trusted.map { suite.certs[$0] },
                        intermediates: test.intermediates.map { suite.certs[$0] }, leaf: suite.certs[test.leaf],
                        now: try style.parse(time)))
            }
            PathCase.record(cases, in: &report)
            return report
        }
    }

    private struct PKITS: Decodable {
        let count: Int
        let time: Double
        let certs: [[String]]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let chain: [Int]
            let expected: String
            let tier: String
        }
    }

    private static var pkits: TrialSuite {
        let file = "suites/x509/pkits_subset.json"
        return TrialSuite("NIST PKITS", file: file, exercises: exercised) {
            let suite = try SharedFiles.json(file, as: PKITS.self)
            let certificates = try suite.certs.map { try need(Data(base64Encoded: $0[1])) }
            var report = SuiteReport(
                cases: suite.count,
                register: [
                    Divergence("4.6.8", leafIsCA), Divergence("4.6.14", leafIsCA),
                    Divergence("4.1.4", "DSA is not allowed"), Divergence("4.1.5", "DSA is not allowed"),
                    Divergence(all: "4.13", where: { $0.hasPrefix("4.13.") }, noNameConstraints),
                ])
            var cases: [PathCase] = []
            for test in suite.cases {
                if test.tier == "crlOnly" {
                    report.skip(test.id, "refused for what a CRL says; Assay reads none")
                    continue
                }
                let chain = test.chain.map { certificates[$0] }
                cases.append(
                    PathCase(
                        id: test.id, isAccepted: test.expected == "accept", anchors: chain.suffix(1),
                        intermediates: Array(chain.dropFirst().dropLast()), leaf: chain[0],
                        now: Date(timeIntervalSince1970: suite.time)))
            }
            PathCase.record(cases, in: &report)
            return report
        }
    }

    private struct BoringSSL: Decodable {
        let count: Int
        let certs: [Data]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let chain: [Int]
            let anchorTrusted: Bool
            let time: Double
            let expected: String
            let tier: String
        }
    }

    private static var boringSSLRegister: [Divergence] {
        let leaves = [
            "has-ca-basic-constraints", "has-keycertsign-but-not-ca", "has-pathlen-but-not-ca", "not-end-entity",
        ]
        let anchors = "an anchor that is a certificate is held to what stands in it, its validity included"
        let noSHA1 = "SHA-1 is not allowed"
        return leaves.map { Divergence("target-\($0)/main", leafIsCA) } + [
            Divergence("expired-root/not-after", anchors), Divergence("expired-root/not-before", anchors),
            Divergence("root-basic-constraints-ca-false/main", anchors),
            Divergence("root-lacks-keycertsign-key-usage/main", anchors),
            Divergence("violates-pathlen-1-from-root/main", anchors),
            Divergence("intermediate-eku-server-gated-crypto/sha1-eku-any", noSHA1),
            Divergence("issuer-and-subject-not-byte-for-byte-equal/anchor", noSHA1),
            Divergence("issuer-and-subject-not-byte-for-byte-equal/target", noSHA1),
            Divergence("many-names/ok-all-types", noNameConstraints),
            Divergence(
                "key-rollover/longrolloverchain",
                "a path over self-issued certificates of the anchor's name, which OpenSSL does not build"),

        ]
    }

    private static var boringSSLChains: TrialSuite {
        let file = "suites/x509/boringssl_chains.json"
        return TrialSuite("BoringSSL verify_certificate_chain", file: file, exercises: exercised) {
            let suite = try SharedFiles.json(file, as: BoringSSL.self)
            var report = SuiteReport(cases: suite.count, register: boringSSLRegister)
            var cases: [PathCase] = []
            for test in suite.cases {
                let chain = test.chain.map { suite.certs[$0] }
                cases.append(
                    PathCase(
                        id: test.id, isAccepted: test.expected == "accept",
                        anchors: test.anchorTrusted ? chain.suffix(1) : [],
                        intermediates: Array(chain.dropFirst().dropLast(test.anchorTrusted ? 1 : 0)), leaf: chain[0],
                        now: Date(timeIntervalSince1970: test.time)))
            }
            PathCase.record(cases, in: &report)
            return report
        }
    }
}
