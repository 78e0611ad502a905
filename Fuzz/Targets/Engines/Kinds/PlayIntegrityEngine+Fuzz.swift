import Assay
import AssayCore
import PlayIntegrity

extension PlayIntegrityEngine: FuzzedSection {
    static var targets: [FuzzTarget] { [.classicToken, .standardAnswer] }

    static var records: [[UInt8]] {
        [
            FuzzedClassicToken().record, FuzzedStandardAnswer(GoogleMint.computerPayload).record,
        ]
    }

    static var policy: VerificationPolicy { GoogleMint.verifier().policy }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: shop-android
                playIntegrity:
                  packageName: com.example.shop
                  certificateDigests: ["6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a"]
                  minimumVersionCode: 42
                  challenge: caller
                  freshness: { past: 5m, future: 1m }
                  requests: { freshness: { past: 30s, future: 0s } }
                  deviceRecognition:
                    - { minimumSDK: 33, require: MEETS_STRONG_INTEGRITY }
                    - { minimumSDK: 28, require: MEETS_DEVICE_INTEGRITY }
                  deviceRecall: { reject: [bitFirst] }
                  playProtect: [NO_ISSUES]
                  appAccessRisk: { reject: [UNKNOWN_CAPTURING] }
                  maximumDeviceActivity: LEVEL_2

            """
        ]
    }
}
