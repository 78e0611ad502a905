/// A metric of Assay: the names are API, as those of checks are.
///
/// The labels of a metric contain names of the policy and of the catalogue, and codes: never a device, an account, an address, a
/// path, or a name from evidence.
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
    case googleRequests = "assay_google_requests_total"
    case googleRefused = "assay_google_refused_total"
    case googleQuota = "assay_google_quota_used"
    case ready = "assay_ready"
    case reloads = "assay_reloads_total"
    case requests = "http_server_request_duration_seconds"

    /// What the metric counts or measures, in one sentence.
    package var help: String {
        switch self {
        case .verdicts: "Verdicts. The app is empty if no app of the policy could decode the evidence."
        case .checks: "Checks that failed, or that failed and were only annotated."
        case .verification: "Time to judge evidence, until the ledger has committed."
        case .outages: "Verifications without a verdict, because a part did not answer."
        case .requestErrors:
            "Wrong calls: records that cannot be read, unknown apps, apps without a live key."
        case .challenges: "Challenges that were issued, used, and presented too late."
        case .distinctDevices:
            "Estimate of the distinct devices and keys accepted in the current period (UTC)."
        case .keyEnd: "When a key of the policy or the key store ends, in seconds since 1970."
        case .certificateEnd: "When the certificate of a listener ends, in seconds since 1970."
        case .ledgerCommit: "Time of a transaction of the ledger, until it is durable."
        case .ledgerBatch: "Writes that shared a transaction of the ledger."
        case .googleRequests: "Requests to the Play Integrity API, as its quota counts them."
        case .googleRefused: "Requests that Google refused because a quota was used up."
        case .googleQuota: "Requests of this process on the current day of Google's quota."
        case .ready: "1 while the service takes requests."
        case .reloads: "Times that the policy and the TLS files were read again."
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
        case .googleRequests: ["package", "call"]
        case .googleRefused, .googleQuota: ["package"]
        case .reloads: ["outcome"]
        case .requests: ["http_request_method", "http_route", "http_response_status_code"]
        case .ledgerCommit, .ledgerBatch, .ready: []
        }
    }
}
