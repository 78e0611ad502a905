package import AssayCore

extension MetricName {
    package static let ledgerFailedSyncs = MetricName(
        "assay_ledger_failed_syncs_total",
        help: "Syncs of the SQLite ledger's file that failed. Writes stay durable in its log, which grows.")

    package static let sqlite: [MetricName] = [.ledgerFailedSyncs]
}
