package import AssayTesting
package import FoundationEssentials

/// The App Attest test vectors.
package enum AppAttestVectors: VectorSet {
    package static let name = "app-attest"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = try AppAttestVectorMint(seed: seed, time: time)
        let files = [VectorDraft(path: "test-root.pem", contents: mint.authority.rootPEM)]
        return files + AppAttestVectorPolicies.files
            + (try mint.files([
                AcceptedVectors.self, AttestationEncodingVectors.self, AuthenticatorDataVectors.self,
                ChainVectors.self, BindingVectors.self, ReceiptVectors.self, PolicyVectors.self,
                AssertionVectors.self, AssertionSignatureVectors.self, AssertionPolicyVectors.self,
                LedgerVectors.self, UnreadableVectors.self,
            ]))
    }
}

/// The policies under which the vectors are judged, one to a folder.
package enum AppAttestVectorPolicies {
    package static var files: [VectorDraft] {
        [
            file("", environments: "production"),
            file("development/", environments: "production, development"),
            file(
                "strict/", environments: "production", clientData: "{ challengeAt: /challenge }",
                others: [
                    #"minimumOSVersion: "17.0""#, #"minimumBundleVersion: "1.2""#,
                    "validationCategories: [appStore, testFlight]",
                ],
                enforced: [
                    "attestation.receipt", "attestation.validation-category", "attestation.bundle-version",
                    "attestation.os-version", "attestation.platform", "assertion.client-data",
                    "assertion.validation-category", "assertion.bundle-version",
                ]),
            file(
                "ledger/", environments: "production", challenge: "ledger",
                clientData: "{ challengeAt: /challenge }"),
            file("successor/", environments: "production", counter: "successor"),
        ]
    }

    private static func file(
        _ folder: String, environments: String, counter: String = "increasing", challenge: String = "caller",
        clientData: String = "none", others: [String] = [], enforced: [String] = []
    ) -> VectorDraft {
        let root = folder.isEmpty ? "test-root.pem" : "../test-root.pem"
        let checks = enforced.isEmpty ? [] : ["checks:"] + enforced.map { "  app-attest.\($0): enforce" }
        return VectorDraft(
            path: "\(folder)policy.yaml",
            contents: """
                # Minted with the vectors beside it; test-root.pem is trusted here and nowhere else.
                version: 1
                apps:
                  - name: \(AppAttestVectorMint.app)
                    appAttest:
                      appIDs: [\(AppAttestVectorMint.appID)]
                      environments: [\(environments)]
                      counter: \(counter)
                      challenge: \(challenge)
                      clientData: \(clientData)
                      testRoots: ["file:\(root)"]

                """ + (others.map { "      \($0)" } + checks).map { "\($0)\n" }.joined())
    }
}
