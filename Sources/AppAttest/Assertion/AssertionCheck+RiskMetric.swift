public import AssayCore
public import FoundationEssentials

/// The risk metric of a key, from its last refreshed receipt.
public struct AppAttestRiskMetric: Sendable, Equatable {
    /// About how many keys the device attested for this app in the 30 days before.
    public let value: Int
    /// When Apple issued the receipt.
    public let measuredAt: Date
}

extension CheckID {
    /// The device has not attested too many keys, by the last refreshed receipt of its key.
    public static let appAttestAssertionRiskMetric = CheckID("app-attest.assertion.risk-metric")
}

extension AssertionCheck {
    static let riskMetricEntry = CheckDefinition(
        .appAttestAssertionRiskMetric, .policy(default: .annotate),
        proves: """
            By the last refreshed receipt of the key, the number of keys that the device attested for this app in 30 days is at \
            most the policy's, and the receipt is not older than the policy allows.
            """,
        stops: "One device that attests for many modified apps.",
        lookAt: """
            receipt.maximumRiskMetric and receipt.maximumRiskMetricAge in the policy. Reinstallations, several accounts on a \
            device and a new owner raise the metric too. `assay receipts list` shows when the receipt of the key was refreshed.
            """,
        source: "Apple, Assessing fraud risk, Interpret the metric",
        remedy: .contactSupport, codes: [.keyRiskUnknown, .keyRiskTooOld, .appAttestKeyRiskTooHigh])

    func keyRisk(at now: Date) throws(CheckFailure) -> PolicyAnswer {
        let rules = configuration.receipt
        guard let maximum = rules.maximumRiskMetric else { return .notRequired }
        guard let metric = keys.facts?.riskMetric else {
            return .notApplicable(Finding(.keyRiskUnknown, "no receipt of the key has been refreshed"))
        }
        let measured = RFC3339.format(metric.measuredAt)
        guard metric.value <= maximum else {
            throw CheckFailure(
                .appAttestKeyRiskTooHigh, "risk metric \(metric.value) at \(measured), at most \(maximum) is allowed")
        }
        if let longest = rules.maximumRiskMetricAge, now.timeIntervalSince(metric.measuredAt) > longest {
            throw CheckFailure(
                .keyRiskTooOld,
                "risk metric \(metric.value) is of \(measured), and may be \(PolicyNode.text(ofSeconds: longest)) old")
        }
        return .passed
    }
}

extension CheckCode {
    fileprivate static let keyRiskUnknown = CheckCode(
        "key-risk-unknown", "No receipt of the key has been refreshed, so that its risk metric is unknown: no action.")
    fileprivate static let keyRiskTooOld = CheckCode(
        "key-risk-too-old",
        "The last risk metric of the key is older than `receipt.maximumRiskMetricAge`: attest again.",
        remedy: .newAttestation)
    /// The risk metric of the key is greater than `receipt.maximumRiskMetric`.
    public static let appAttestKeyRiskTooHigh = CheckCode(
        "key-risk-too-high", "The device attested more keys in 30 days than `receipt.maximumRiskMetric` allows.")
}
