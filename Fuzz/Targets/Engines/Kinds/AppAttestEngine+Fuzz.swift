import AppAttest
import Assay
import AssayCore
import AssayTesting

extension AppAttestEngine: FuzzedSection {
    static var targets: [FuzzTarget] { [.attestation, .assertion, .appAttestRequest, .receipt] }

    static var records: [[UInt8]] {
        [
            FuzzedAttestation(.iOS26, hasReceipt: false).record, FuzzedAssertion(extensions: .none, isRaw: true).record,
            FuzzedSignedRequest.assertion.record,
        ]
    }

    static var policy: VerificationPolicy { AppleMint.verifier().policy }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: shop-ios
                appAttest:
                  appIDs: [1234567890.com.example.shop]
                  environments: [production]
                  counter: successor
                  challenge: ledger
                  clientData: { challengeAt: /challenge }
                  minimumOSVersion: { iOS: "16.0", macOS: "14" }
                  minimumBundleVersion: "1.2"
                  validationCategories: [appStore, testFlight]
                  receipt: { maximumAge: 5m, maximumRiskMetric: 3 }
                  requests: { label: assay, components: ["@method"], nonce: ledger, body: upstream }
                  testRoots: ["file:test-root.pem"]
            checks:
              app-attest.attestation.receipt: annotate

            """
        ]
    }
}
