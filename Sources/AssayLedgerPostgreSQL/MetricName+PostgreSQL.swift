package import AssayCore

extension MetricName {
    package static let ledgerWaived = MetricName(
        "assay_ledger_durability_waived", help: "1 if the URL of the PostgreSQL ledger says durability=waived.")
    package static let ledgerConnections = MetricName(
        "assay_ledger_connections_total", help: "Connections on which writers of the PostgreSQL ledger have begun.")
    package static let ledgerRaces = MetricName(
        "assay_ledger_races_total",
        help: "Transactions of the PostgreSQL ledger that were repeated, because another server was faster.")
    package static let ledgerLostAnswers = MetricName(
        "assay_ledger_lost_answers_total", help: "Commits of the PostgreSQL ledger whose answers were lost.")
    package static let ledgerUndetermined = MetricName(
        "assay_ledger_undetermined_total", help: "Commits of the PostgreSQL ledger of which nothing is known.")
    package static let ledgerPurged = MetricName(
        "assay_ledger_purged_total",
        help: "Challenges and digests that this process has purged from the PostgreSQL ledger.")
    package static let ledgerRows = MetricName(
        "assay_ledger_rows", labels: ["table"],
        help: "Live rows of the PostgreSQL ledger, as its statistics estimate them.")
    package static let ledgerDeadRows = MetricName(
        "assay_ledger_dead_rows", labels: ["table"],
        help: "Dead rows of the PostgreSQL ledger that its autovacuum has not removed, as its statistics estimate them."
    )

    package static let postgreSQL: [MetricName] = [
        .ledgerWaived, .ledgerConnections, .ledgerRaces, .ledgerLostAnswers, .ledgerUndetermined, .ledgerPurged,
        .ledgerRows, .ledgerDeadRows,
    ]
}
