import AndroidKey
import Assay
import AssayCore
import AssayTesting

extension AndroidKeyEngine: FuzzedSection {
    static var targets: [FuzzTarget] { [.keyAttestation, .androidKeyRequest] }

    static var records: [[UInt8]] {
        [
            FuzzedKeyAttestation(.factory, isRemote: false).record,
            FuzzedKeyAttestation(.remote, isRemote: true).record,
            FuzzedSignedRequest.androidKey(AndroidMint.device).record,
        ]
    }

    static var policy: VerificationPolicy { AndroidMint.verifier.policy }

    static var policyTexts: [String] {
        let digest = String(repeating: "6a", count: 32)
        return [
            """
            version: 1
            apps:
              - name: shop-android
                androidKey:
                  packages: [com.example.shop]
                  certificateDigests: ["\(digest)"]
                  preset: standard
                  challenge: ledger
                  securityLevel: strongBox
                  keyAlgorithms: [ec-p256]
                  bootStates: [verified, selfSigned]
                  verifiedBootKeys: ["\(digest)"]
                  minimumOSVersion: "12"
                  minimumVersionCode: 40
                  patchLevel: { maximumAge: 365d, maximumAhead: 62d, levels: [os, vendor, boot] }
                  purposes: [sign]
                  minimumAttestationVersion: 300
                  provisioning: remote
                  maximumCertificatesIssued: 100
                  userAuthentication: required
                  rollbackResistance: required
                  creationTime: { past: 5m, future: 1m }
                  deviceIdentity: forbidden
                  statusList: { source: service, maximumAge: 12h }
                  requests: { label: assay, components: ["@method"], nonce: ledger, body: upstream }
                  testRoots: ["file:test-root.pem"]
            checks:
              android-key.attestation.patch-level: annotate

            """
        ]
    }
}
