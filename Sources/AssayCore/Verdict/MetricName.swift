/// A metric of Assay. The names are API, like those of checks.
///
/// The labels of a metric contain names from the policy and the catalogue, and codes. They never contain a device, an
/// account, an address, a path, or a name from evidence.
package enum MetricName: String, Sendable, CaseIterable {
    case verdicts = "assay_verdicts_total"
    case checks = "assay_checks_total"
    case verification = "assay_verification_seconds"
    case outages = "assay_outages_total"
    case requestErrors = "assay_request_errors_total"
    case challenges = "assay_challenges_total"
    case distinctDevices = "assay_distinct_devices"
    case keyEnd = "assay_key_end_timestamp_seconds"
    case certificateEnd = "assay_certificate_end_timestamp_seconds"
    case ledgerCommit = "assay_ledger_commit_seconds"
    case ledgerBatch = "assay_ledger_batch_size"
    case ledgerWaived = "assay_ledger_durability_waived"
    case ledgerConnections = "assay_ledger_connections_total"
    case ledgerRaces = "assay_ledger_races_total"
    case ledgerLostAnswers = "assay_ledger_lost_answers_total"
    case ledgerUndetermined = "assay_ledger_undetermined_total"
    case ledgerPurged = "assay_ledger_purged_total"
    case ledgerRows = "assay_ledger_rows"
    case ledgerDeadRows = "assay_ledger_dead_rows"
    case statusListFailing = "assay_status_list_failing"
    case statusListRefused = "assay_status_list_refused_total"
    case googleRequests = "assay_google_requests_total"
    case googleRefused = "assay_google_refused_total"
    case googleQuota = "assay_google_quota_used"
    case appleRequests = "assay_apple_requests_total"
    case appleKeyPaused = "assay_apple_key_paused"
    case receipts = "assay_app_attest_receipts_total"
    case riskMetric = "assay_app_attest_risk_metric"
    case debugTokens = "assay_debug_tokens_total"
    case failover = "assay_failover"
    case failoverTokens = "assay_failover_tokens_total"
    case ready = "assay_ready"
    case reloads = "assay_reloads_total"
    case policyChanges = "assay_policy_changes_total"
    case policyInfo = "assay_policy_info"
    case policyApps = "assay_policy_apps"
    case lostLogLines = "assay_log_lines_lost_total"
    case requests = "http_server_request_duration_seconds"

    /// What the metric counts or measures, in one sentence.
    package var help: String {
        switch self {
        case .verdicts: "Verdicts. The app is empty if no app of the policy could decode the evidence."
        case .checks: "Checks that failed, or that failed and were only annotated."
        case .verification: "Time to judge evidence, until the ledger has committed."
        case .outages: "Calls and entries of the audit trail that were lost because a part did not answer."
        case .requestErrors:
            "Wrong calls: records that cannot be read, unknown apps, apps without a live key."
        case .challenges: "Challenges that were issued, used, and presented too late."
        case .distinctDevices:
            "Estimate of the distinct devices and keys accepted in the current period (UTC)."
        case .keyEnd: "When a key of the policy or the key store ends, in seconds since 1970."
        case .certificateEnd: "When the certificate of a listener ends, in seconds since 1970."
        case .ledgerCommit: "Time of a transaction of the ledger, until it is durable."
        case .ledgerBatch: "Writes that shared a transaction of the ledger."
        case .ledgerWaived: "1 if the URL of the PostgreSQL ledger says durability=waived."
        case .ledgerConnections: "Connections on which writers of the PostgreSQL ledger have begun."
        case .ledgerRaces:
            "Transactions of the PostgreSQL ledger that were repeated, because another server was faster."
        case .ledgerLostAnswers: "Commits of the PostgreSQL ledger whose answers were lost."
        case .ledgerUndetermined: "Commits of the PostgreSQL ledger of which nothing is known."
        case .ledgerPurged: "Challenges and digests that this process has purged from the PostgreSQL ledger."
        case .ledgerRows: "Live rows of the PostgreSQL ledger, as its statistics estimate them."
        case .ledgerDeadRows:
            "Dead rows of the PostgreSQL ledger that its autovacuum has not removed, as its statistics estimate them."
        case .statusListFailing: "1 if the last request for the status list of Android keys has failed."
        case .statusListRefused:
            "Status lists of Android keys that were refused, because they are older or much smaller than the one before."
        case .googleRequests: "Requests to the Play Integrity API, as its quota counts them."
        case .googleRefused: "Requests that Google refused because a quota was used up."
        case .googleQuota: "Requests of this process on the current day of Google's quota."
        case .appleRequests: "Requests to App Attest and DeviceCheck, by the status of the answer."
        case .appleKeyPaused: "1 while a key of Apple's services is paused, because Apple refused its token twice."
        case .receipts: "Receipts that were due, by what came of them."
        case .riskMetric: "Risk metrics of refreshed receipts."
        case .debugTokens: "Tokens that were issued for a debug token of the policy, without evidence."
        case .failover: "1 while a failover instance issues tokens, because the first instance cannot be reached."
        case .failoverTokens: "Tokens that a failover instance has issued, without evidence."
        case .ready: "1 while the service takes requests and writes to its ledger become durable."
        case .reloads: "Times that the policy and the TLS files were read again."
        case .policyChanges:
            "What new policies changed while the process ran: apps, evidence, checks, rules and routes, and how."
        case .policyInfo: "1 for the policy in force, by SHA-256 of its file."
        case .policyApps: "Apps of the policy in force."
        case .lostLogLines: "Log lines that could not be written at once, such as to a pipe that is full."
        case .requests: "Time to answer a request, without sending the answer."
        }
    }

    /// The names of the labels, in their order.
    package var labels: [String] {
        switch self {
        case .verdicts: ["app", "kind", "outcome"]
        case .checks: ["check", "status", "code"]
        case .verification: ["kind"]
        case .outages: ["part", "code"]
        case .requestErrors: ["code"]
        case .challenges: ["app", "kind", "event"]
        case .distinctDevices: ["app", "period"]
        case .keyEnd: ["name", "use"]
        case .certificateEnd: ["name"]
        case .statusListRefused: ["source", "code"]
        case .googleRequests: ["package", "call"]
        case .googleRefused, .googleQuota: ["package"]
        case .appleRequests: ["service", "status"]
        case .appleKeyPaused: ["name"]
        case .receipts: ["app", "outcome"]
        case .riskMetric: ["app"]
        case .debugTokens: ["app", "name"]
        case .failoverTokens: ["app"]
        case .reloads: ["outcome"]
        case .policyChanges: ["subject", "effect"]
        case .policyInfo: ["digest"]
        case .ledgerRows, .ledgerDeadRows: ["table"]
        case .requests: ["http_request_method", "http_route", "http_response_status_code"]
        case .ledgerCommit, .ledgerBatch, .ledgerWaived, .ledgerConnections, .ledgerRaces, .ledgerLostAnswers,
            .ledgerUndetermined, .ledgerPurged, .statusListFailing, .failover, .ready, .policyApps, .lostLogLines:
            []
        }
    }
}
