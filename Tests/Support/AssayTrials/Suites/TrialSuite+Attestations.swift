import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation

/// Attestations of other kinds than those that Assay judges. They are read by its decoders as far as these go, and App
/// Attest must refuse what is not its own.
extension TrialSuite {
    static var attestations: [TrialSuite] { [webAuthnObjects, webAuthnAsAppAttest, androidCertificates, androidPaths] }

    private struct WebAuthn: Decodable {
        let count: Int
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let registration: Registration
        }
        struct Registration: Decodable {
            let challenge: String
            let credential_id: String
            let clientDataJSON: String
            let attestationObject: String
        }
    }

    private static let webAuthnFile = "suites/webauthn/w3c_vectors.json"

    private static var webAuthnObjects: TrialSuite {
        TrialSuite(
            "W3C WebAuthn: attestation objects as CBOR", file: webAuthnFile,
            exercises: "`CBORReader`; nothing is verified"
        ) {
            let suite = try SharedFiles.json(webAuthnFile, as: WebAuthn.self)
            var report = SuiteReport(cases: suite.count)
            for test in suite.cases {
                let object = try bytes(test.registration.attestationObject)
                let error = readingError {
                    var reader = CBORReader(object)
                    try reader.skipItem()
                    try reader.finish()
                }
                report.record(test.id, expected: true, accepted: error == nil)
            }
            return report
        }
    }

    /// Genuine attestations, and none of App Attest's.
    private static var webAuthnAsAppAttest: TrialSuite {
        TrialSuite("W3C WebAuthn: handed in as App Attest", file: webAuthnFile, exercises: "`Verifier`, App Attest") {
            let suite = try SharedFiles.json(webAuthnFile, as: WebAuthn.self)
            let configuration = try AppAttestConfiguration(
                appIDs: ["1234567890.com.example.shop"], environments: [.production, .development], challenge: .caller,
                clientData: .none)
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: "shop", configuration)], catalogue: Verifier.catalogue)
            var report = SuiteReport(cases: suite.count)
            for test in suite.cases {
                let registration = test.registration
                let input = AttestationInput(
                    keyID: try bytes(registration.credential_id),
                    attestation: try bytes(registration.attestationObject),
                    clientData: .data(try bytes(registration.clientDataJSON)))
                let verdict = try await Verifier(policy: policy, ledger: MemoryLedger())
                    .verifyAttestation(input, app: "shop", at: Date(timeIntervalSince1970: 1_790_000_000))
                report.record(test.id, expected: false, accepted: verdict.outcome == .accept)
                report.demand(
                    verdict.failed.first == AttestationCheck.decode, "\(test.id) fails later than in decoding")
            }
            return report
        }
    }

    private struct AndroidKey: Decodable {
        let count: Int
        let roots: [Data]
        let certs: [Data]
        let cases: [Case]
        struct Case: Decodable {
            let id: String
            let kind: String
            let chain: [Int]
        }
    }

    private static let androidFile = "suites/androidkey/keyattestation.json"

    private static var androidCertificates: TrialSuite {
        TrialSuite(
            "Android Key Attestation: certificates as such", file: androidFile,
            exercises: "`Certificate`; key descriptions are not read, there is no engine for them"
        ) {
            let suite = try SharedFiles.json(androidFile, as: AndroidKey.self)
            var report = SuiteReport(cases: suite.certs.count + suite.roots.count)
            for (name, certificates) in [("cert", suite.certs), ("root", suite.roots)] {
                for (index, der) in certificates.enumerated() {
                    let isRead = (try? Certificate(der: Array(der)[...])) != nil
                    // The suite says of no certificate by itself that it is one.
                    report.record("\(name) \(index)", expected: nil, accepted: isRead)
                }
            }
            return report
        }
    }

    private static var androidPaths: TrialSuite {
        TrialSuite(
            "Android Key Attestation: paths to Google's roots", file: androidFile,
            exercises: "`CertificatePathValidator`; key descriptions are not read, there is no engine for them"
        ) {
            let suite = try SharedFiles.json(androidFile, as: AndroidKey.self)
            let roots = suite.roots.compactMap { try? Certificate(der: Array($0)[...]) }
            let software = "its root, of attestations in software, is none of the suite's"
            let postQuantum = "ML-DSA is not allowed"
            var report = SuiteReport(
                cases: suite.count,
                register: [
                    Divergence("marlin/sdk29/TEE_EC_NONE", software), Divergence("marlin/sdk29/TEE_RSA_NONE", software),
                    Divergence("tokay/sdk37/TEE_MLDSA_FACTORY", postQuantum),
                    Divergence("tokay/sdk37/TEE_MLDSA_RKP", postQuantum),
                    Divergence(
                        "sony-xperia10-iii/sdk33/TEE_EC", "the leaf's issuer says that it is no certification authority"
                    ),
                ])
            var cases: [PathCase] = []
            for test in suite.cases {
                guard test.kind == "valid" else {
                    report.skip(test.id, "what is wrong or right with it stands in the key description or its purpose")
                    continue
                }
                let chain = test.chain.map { suite.certs[$0] }
                // The suite has no time. All of a path, with its root, are valid in the second at which the last one
                // begins to be.
                let path = chain.compactMap { try? Certificate(der: Array($0)[...]) }
                let anchors = roots.filter { root in path.contains { $0.issuer == root.subject } }
                let begins = (path + anchors).map(\.notBefore).max()
                cases.append(
                    PathCase(
                        id: test.id, isAccepted: true, anchors: suite.roots, intermediates: Array(chain.dropFirst()),
                        leaf: chain[0], now: try need(begins)))
            }
            PathCase.record(cases, in: &report)
            return report
        }
    }
}
