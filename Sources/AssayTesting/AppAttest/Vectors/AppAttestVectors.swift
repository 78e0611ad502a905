public import FoundationEssentials

/// The App Attest test vectors: what must be accepted, and for every check what must fail it.
///
/// Each file of records is to be judged under the `policy.yaml` of its folder, as captured and in order, with a ledger
/// that is empty at its start. The files in `unreadable` hold records that have no verdict: reading them is an error.
public enum AppAttestVectors {
    /// All files, among them the policies and the root that they trust.
    ///
    /// - Parameters:
    ///   - authority: What issues certificates and receipts. It has to be valid from 30 days before to 30 days after
    ///     `time`.
    ///   - time: When the evidence is received; fractions of a second are dropped. The same authority and time give the
    ///     same bytes.
    public static func files(authority: TestAuthority, at time: Date) throws(MintingError) -> [VectorFile] {
        let mint = VectorMint(
            authority: authority,
            time: Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down)))
        var files = [VectorFile(path: "test-root.pem", contents: authority.rootPEM)]
        files += VectorPolicies.files
        files += try AcceptedVectors(mint).files()
        files += try AttestationEncodingVectors(mint).files()
        files += try AuthenticatorDataVectors(mint).files()
        files += try ChainVectors(mint).files()
        files += try BindingVectors(mint).files()
        files += try ReceiptVectors(mint).files()
        files += try PolicyVectors(mint).files()
        files += try AssertionVectors(mint).files()
        files += try AssertionSignatureVectors(mint).files()
        files += try AssertionPolicyVectors(mint).files()
        files += try LedgerVectors(mint).files()
        files += try UnreadableVectors(mint).files()
        return files
    }
}

/// The policies under which the vectors are judged, one to a folder.
enum VectorPolicies {
    static var files: [VectorFile] {
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
    ) -> VectorFile {
        let root = folder.isEmpty ? "test-root.pem" : "../test-root.pem"
        let checks = enforced.isEmpty ? [] : ["checks:"] + enforced.map { "  app-attest.\($0): enforce" }
        return VectorFile(
            path: "\(folder)policy.yaml",
            contents: """
                # Minted with the vectors beside it; test-root.pem is trusted here and nowhere else.
                version: 1
                apps:
                  - name: \(VectorMint.app)
                    appAttest:
                      appIDs: [\(VectorMint.appID)]
                      environments: [\(environments)]
                      counter: \(counter)
                      challenge: \(challenge)
                      clientData: \(clientData)
                      testRoots: ["file:\(root)"]

                """ + (others.map { "      \($0)" } + checks).map { "\($0)\n" }.joined())
    }
}
