import AssayTesting

/// The two policies of a corpus: the one for which its expectations hold, and a stricter one.
struct CorpusPolicies: Sendable {
    /// The checks that are annotated unless a policy sets another mode.
    static let notedByDefault = [
        "app-attest.attestation.receipt", "play-integrity.licensing", "play-integrity.play-protect",
        "play-integrity.app-access-risk", "play-integrity.location-spoofing",
    ]

    let materials: CorpusMaterials

    private struct Demands {
        let heading: String
        let environments: String
        let categories: String
        let osVersion: String
        let bundleVersion: String
        let riskMetric: Int
        let versionCode: Int
        let devices: [(sdk: Int, label: String)]
        let sdkVersion: Int
        let activity: String
        let recallBits: String
        let androidVersion: String
        let attestationVersion: Int
        let patchAge: String
        let enforced: [String]
    }

    /// `policy.yaml`.
    var usual: String {
        text(
            Demands(
                heading: "The policy that the expectations of corpus.ndjson are stated under.",
                environments: "production, development", categories: "appStore, testFlight, development",
                osVersion: "16.0", bundleVersion: "4.0", riskMetric: 20, versionCode: 400,
                devices: [(28, "MEETS_DEVICE_INTEGRITY")], sdkVersion: 29, activity: "LEVEL_3",
                recallBits: "bitFirst", androidVersion: "12", attestationVersion: 100, patchAge: "365d",
                enforced: Self.notedByDefault.filter(materials.enforced.contains)))
    }

    /// `stricter.yaml`.
    var stricter: String {
        text(
            Demands(
                heading: "What if more was demanded? For: assay replay corpus.ndjson --policy policy.yaml "
                    + "--against stricter.yaml",
                environments: "production", categories: "appStore, testFlight", osVersion: "18.0",
                bundleVersion: "4.1", riskMetric: 5, versionCode: 410,
                devices: [(33, "MEETS_STRONG_INTEGRITY"), (28, "MEETS_DEVICE_INTEGRITY")], sdkVersion: 31,
                activity: "LEVEL_2", recallBits: "bitFirst, bitSecond", androidVersion: "13", attestationVersion: 200,
                patchAge: "93d", enforced: Self.notedByDefault))
    }

    private func text(_ demands: Demands) -> String {
        let rules = demands.devices.map { "          - { minimumSDK: \($0.sdk), require: \($0.label) }" }
        let checks = demands.enforced.map { "  \($0): enforce" }
        return """
            # \(demands.heading)
            # Minted with the corpus beside it: test-root.pem and the keys are for tests and trusted here only.
            version: 1
            keys:
              - name: play-corpus
                use: play-integrity
                decryptionKey: "file:keys/play-decryption.b64"
                verificationKey: "file:keys/play-verification.b64"
            apps:
              - name: \(CorpusMaterials.appleApp)
                appAttest:
                  appIDs: [\(CorpusMaterials.appID)]
                  environments: [\(demands.environments)]
                  challenge: caller
                  clientData: { challengeAt: /challenge }
                  minimumOSVersion: "\(demands.osVersion)"
                  minimumBundleVersion: "\(demands.bundleVersion)"
                  validationCategories: [\(demands.categories)]
                  receipt: { maximumAge: 5m, maximumRiskMetric: \(demands.riskMetric) }
                  testRoots: ["file:test-root.pem"]
              - name: \(CorpusMaterials.androidApp)
                playIntegrity:
                  packageName: \(CorpusMaterials.packageName)
                  keys: [play-corpus]
                  certificateDigests: ["\(Base64URL.text(materials.certificateDigest))"]
                  challenge: caller
                  minimumVersionCode: \(demands.versionCode)
                  minimumSDKVersion: \(demands.sdkVersion)
                  maximumDeviceActivity: \(demands.activity)
                  deviceRecall: { reject: [\(demands.recallBits)] }
                  deviceRecognition:
            \(rules.joined(separator: "\n"))
              - name: \(CorpusMaterials.pcApp)
                playIntegrity:
                  packageName: \(CorpusMaterials.pcPackageName)
                  platform: pc
              - name: \(CorpusMaterials.keyApp)
                androidKey:
                  packages: [\(CorpusMaterials.packageName)]
                  certificateDigests: ["\(Base64URL.text(materials.certificateDigest))"]
                  challenge: caller
                  statusList: none
                  minimumVersionCode: \(demands.versionCode)
                  minimumOSVersion: "\(demands.androidVersion)"
                  minimumAttestationVersion: \(demands.attestationVersion)
                  patchLevel: { maximumAge: \(demands.patchAge) }
                  requests: {}
                  testRoots: ["file:android-test-roots.pem"]

            """ + (checks.isEmpty ? "" : "checks:\n" + checks.map { "\($0)\n" }.joined())
    }
}
