import Assay
import AssayCore
import AssayTokens

/// Builds are stated by evidence of other engines: a seed of the reader of policies.
extension BuildsSection: FuzzedSection {
    static var targets: [FuzzTarget] { [] }

    static var records: [[UInt8]] { [] }

    static var policy: VerificationPolicy { TokenEngine.policy }

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
