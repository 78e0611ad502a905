/// The policies of the vectors, one per folder.
package enum AppAttestVectorPolicies {
    package static var files: [VectorDraft] {
        [
            file(""), file("development/", environments: "production, development"),
            file("strict/", clientData: "{ challengeAt: /challenge }", others: AppAttestVectorMint.strictRules),
            file("ledger/", challenge: "ledger", clientData: "{ challengeAt: /challenge }"),
            file("requests/", others: "      requests: {}\n"),
            file("requests-nonce/", others: "      requests: { nonce: ledger }\n"),
            file("successor/", counter: "successor"),
            file("window/", counter: "window(4)"),
            file(
                "accounts/",
                others: """
                          account: required
                          maximumKeys: 1
                          keysExceeded: refuse

                    """),
        ]
    }

    private static func file(
        _ folder: String, environments: String = "production", counter: String = "increasing",
        challenge: String = "caller", clientData: String = "none", others: String = ""
    ) -> VectorDraft {
        VectorDraft(
            "\(folder)policy.yaml",
            text: """
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
                      testRoots: ["file:\(folder.isEmpty ? "" : "../")test-root.pem"]
                \(others)
                """)
    }
}
