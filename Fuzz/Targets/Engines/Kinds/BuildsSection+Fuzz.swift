import Assay
import AssayCore

/// Builds are stated by evidence of other engines: a seed of the reader of policies.
extension BuildsSection: FuzzedSection {
    static var targets: [FuzzTarget] { [] }

    static var records: [[UInt8]] { [] }

    static var policy: VerificationPolicy { policy(reading: policyTexts[0]) }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: builds
                builds: { rule: annotate, unstated: reject }

            """
        ]
    }
}
