// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay

/// The Swift examples of Assay's Verdicts.md. They are compiled but not run.
struct VerdictExamples {
    func block1() {
        func isReplay(_ verdict: Verdict) -> Bool {
            verdict.check(.appAttestAssertionCounter)?.has(.counterNotIncreasing) ?? false
        }

        func advice(on verdict: Verdict) -> String {
            verdict.failed.compactMap { CheckCatalogue.entry(of: $0)?.lookAt }.joined(separator: "\n")
        }
    }
}
