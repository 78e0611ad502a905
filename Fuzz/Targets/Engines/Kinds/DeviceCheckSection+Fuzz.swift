import Assay
import AssayCore
import AssayTokens

/// Device tokens accompany evidence of other engines: a seed of the readers of records and policies.
extension DeviceCheckSection: FuzzedSection {
    static var targets: [FuzzTarget] { [] }

    static var records: [[UInt8]] {
        let fields = #""deviceToken":"AAAA","deviceBits":{"bit0":true,"bit1":false,"changedIn":"2026-04"}"#
        return TokenEngine.records.map { record in
            Array(
                String(decoding: record, as: UTF8.self).replacing(#""evidence":"#, with: fields + #","evidence":"#).utf8
            )
        }
    }

    static var policy: VerificationPolicy {
        do {
            let configuration = DeviceCheckConfiguration(appID: "ABCDE12345.com.example.shop", meaning: .ban(.bit0))
            return try VerificationPolicy(
                apps: [PolicyApp(name: "device", configuration)], catalogue: Verifier.catalogue)
        } catch { FuzzTarget.broken("no policy: \(error)") }
    }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: device
                deviceCheck:
                  appID: ABCDE12345.com.example.shop
                  environment: development
                  bits: enrolments
                  limit: 2
                  months: 12
                  required: [app-attest.attestation]
                  blocks: none
                  outage: annotate

            """
        ]
    }
}
