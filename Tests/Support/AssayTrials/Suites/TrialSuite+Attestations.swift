import AndroidKey
import AppAttest
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTestSupport
import Foundation

/// Attestations of formats that Assay does not judge. Its decoders read them as far as possible, and App Attest must
/// reject them.
extension TrialSuite {
    static var attestations: [TrialSuite] {
        [webAuthnObjects, webAuthnAsAppAttest, androidCertificates, androidChains]
    }

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

    /// Genuine WebAuthn attestations, none from App Attest.
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
                    .verify(input, app: "shop", at: Date(timeIntervalSince1970: 1_790_000_000))
                report.record(test.id, expected: false, accepted: verdict.outcome == .accept)
                report.require(
                    verdict.failed.first == CheckID.appAttestAttestationDecode,
                    "\(test.id) fails later than in decoding")
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
            exercises: "`Certificate`, which is stricter than the keystores' profile that the engine reads leaves with"
        ) {
            let suite = try SharedFiles.json(androidFile, as: AndroidKey.self)
            var report = SuiteReport(cases: suite.certs.count + suite.roots.count)
            for (name, certificates) in [("cert", suite.certs), ("root", suite.roots)] {
                for (index, der) in certificates.enumerated() {
                    let isRead = (try? Certificate(der: Array(der)[...])) != nil
                    // The suite does not state whether each certificate is valid by itself.
                    report.record("\(name) \(index)", expected: nil, accepted: isRead)
                }
            }
            return report
        }
    }

    /// Chains under a policy that admits their apps and only annotates device and app state, because most of the
    /// devices are unlocked.
    private static var androidChains: TrialSuite {
        TrialSuite(
            "Android Key Attestation: chains", file: androidFile, exercises: "`Verifier`, `android-key.attestation`"
        ) {
            let suite = try SharedFiles.json(androidFile, as: AndroidKey.self)
            let software = "its root is that of attestations in software, whose private key is public"
            let postQuantum = "ML-DSA keys are told as such, and not supported"
            var report = SuiteReport(
                cases: suite.count,
                register: [
                    Divergence("marlin/sdk29/TEE_EC_NONE", software), Divergence("marlin/sdk29/TEE_RSA_NONE", software),
                    Divergence("tokay/sdk37/TEE_MLDSA_FACTORY", postQuantum),
                    Divergence("tokay/sdk37/TEE_MLDSA_RKP", postQuantum),
                ])
            let policy = try PolicyFile.parse(
                """
                version: 1
                apps:
                  - name: suite
                    androidKey:
                      packages: [com.google.android.attestation]
                      certificateDigests: ["103938ee4537e59e8ee792f654504fb8346fc6b346d0bbc4415fc339fcfc8ec1"]
                      challenge: caller
                      statusList: none
                checks: { android-key.attestation.root-of-trust: annotate, android-key.attestation.application: annotate }
                """, path: "suite.yaml")
            for test in suite.cases {
                let chain = test.chain.map { Array(suite.certs[$0]) }
                // The suite states no time. Use the start of validity of the certificate that becomes valid last.
                let begins = chain.dropFirst().compactMap {
                    try? Certificate(der: $0[...], profile: .keystore).notBefore
                }
                let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verify(
                    KeyAttestationInput(certificates: chain, challenge: challenge(of: chain)),
                    at: begins.max() ?? Date(timeIntervalSince1970: 1_790_000_000))
                let expected: Bool? =
                    switch test.kind {
                    case "valid": true
                    // Google's own test accepts the lock state 01 as locked.
                    case "invalid" where test.id == "invalid/malformed_rot_device_locked": true
                    case "invalid": false
                    // Test leaves for one purpose, under roots of their own.
                    default: nil
                    }
                report.record(test.id, expected: expected, accepted: verdict.outcome == .accept)
            }
            return report
        }
    }

    /// The challenge in a chain, according to inspection; one byte for a chain without one.
    private static func challenge(of chain: [[UInt8]]) -> [UInt8] {
        let layer = EngineRegistry.standard.inspector.inspect(chain.flatMap { $0 }, name: "chain")
        guard
            case .text(let text)? = EngineRegistry.standard.inspector.record(of: layer)?.evidence["challenge"]?.content
        else { return [0] }
        return Array(Data(base64Encoded: text) ?? Data([0]))
    }
}
