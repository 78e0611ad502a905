/// The name, labels and help text of a metric. Each module declares its metrics in an extension. Names are API.
///
/// The labels of a metric contain names from the policy and the catalogue, and codes. They never contain a device, an
/// account, an address, a path, or a name from evidence. The exception is the policy's choice: values of the facts in its
/// `metrics.by`, whose number is bounded.
package struct MetricName: Sendable, Hashable {
    /// The name in swift-metrics and Prometheus.
    package let rawValue: String
    /// The names of the labels, in their order.
    package let labels: [String]
    /// What the metric counts or measures, in one sentence.
    package let help: String

    /// Declares a metric.
    package init(_ rawValue: String, labels: [String] = [], help: String) {
        (self.rawValue, self.labels, self.help) = (rawValue, labels, help)
    }
}

extension MetricName {
    package static let outages = MetricName(
        "assay_outages_total", labels: ["part", "code"],
        help: "Calls and entries of the audit trail that were lost because a part did not answer.")
    package static let ledgerCommit = MetricName(
        "assay_ledger_commit_seconds", help: "Time of a transaction of the ledger, until it is durable.")
    package static let ledgerBatch = MetricName(
        "assay_ledger_batch_size", help: "Writes that shared a transaction of the ledger.")

    /// The metrics of several modules.
    package static let shared: [MetricName] = [.outages, .ledgerCommit, .ledgerBatch]
}
