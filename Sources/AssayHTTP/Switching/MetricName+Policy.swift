package import AssayCore

extension MetricName {
    package static let policyChanges = MetricName(
        "assay_policy_changes_total", labels: ["subject", "effect"],
        help: "What new policies changed while the process ran: apps, evidence, checks, rules and routes, and how.")

    /// The metrics of changed policies.
    package static let policies: [MetricName] = [.policyChanges]
}
