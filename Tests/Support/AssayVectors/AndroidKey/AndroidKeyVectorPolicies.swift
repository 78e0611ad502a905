/// The policies of the vectors, one per folder.
package enum AndroidKeyVectorPolicies {
    package static var files: [VectorDraft] {
        [
            file("", others: "      minimumVersionCode: 40\n"),
            file(
                "strict/",
                others: """
                          securityLevel: strongBox
                          keyAlgorithms: [ec-p256]
                          bootStates: [verified, selfSigned]
                          verifiedBootKeys: ["\(AndroidKeyVectorMint.bootKey.map { String($0, radix: 16) }.joined())"]
                          minimumOSVersion: "12"
                          patchLevel: { maximumAge: 365d, maximumAhead: 62d, levels: [os, vendor, boot] }
                          purposes: [sign]
                          minimumAttestationVersion: 300
                          provisioning: remote
                          maximumCertificatesIssued: 100
                          userAuthentication: required
                          rollbackResistance: required
                          creationTime: { past: 5m, future: 1m }
                          deviceIdentity: forbidden
                          minimumVersionCode: 40
                          versions: { maximum: 50, withdrawn: [41] }
                    checks: { android-key.attestation.consistency: enforce }

                    """),
            file("revocation/", statusList: "\"file:status-list.txt\""),
            file("ledger/", challenge: "ledger"),
            file(
                "accounts/",
                others: """
                          account: required
                          maximumKeys: 1
                          keysExceeded: refuse

                    """),
            file("requests/", others: "      requests: {}\n"),
            file("requests-nonce/", others: "      requests: { nonce: ledger }\n"),
            file("requests-age/", others: "      requests: {}\n      maximumAttestationAge: 7d\n"),
            file("requests-accounts/", others: "      requests: {}\n      account: required\n"),
        ]
    }

    static func file(
        _ folder: String, challenge: String = "caller", statusList: String = "none", others: String = ""
    ) -> VectorDraft {
        VectorDraft(
            "\(folder)policy.yaml",
            text: """
                # Minted with the vectors beside it; test-roots.pem is trusted here and nowhere else.
                version: 1
                apps:
                  - name: \(AndroidKeyVectorMint.app)
                    androidKey:
                      packages: [\(AndroidKeyVectorMint.packageName)]
                      certificateDigests: ["\(AndroidKeyVectorMint.digest.map { String($0, radix: 16) }.joined())"]
                      challenge: \(challenge)
                      statusList: \(statusList)
                      testRoots: ["file:\(folder.isEmpty ? "" : "../")test-roots.pem"]
                \(others)
                """)
    }
}
