import Assay
import AssayCore
import AssayTokens

/// Runtime secrets are given for evidence of other engines: a seed of the reader of policies.
extension SecretsSection: FuzzedSection {
    static var targets: [FuzzTarget] { [] }

    static var records: [[UInt8]] { [] }

    static var policy: VerificationPolicy { policy(reading: policyTexts[0]) }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: secrets
                secrets:
                  enabled: yes
                  names: [maps, flags]
                  life: 1h
                  testAuthorities: refuse

            """
        ]
    }
}
