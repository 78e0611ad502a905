import Assay
package import AssayCore
import AssayHTTP

extension MetricName {
    package static let certificateEnd = MetricName(
        "assay_certificate_end_timestamp_seconds", labels: ["name"],
        help: "When the certificate of a listener ends, in seconds since 1970.")
    package static let failover = MetricName(
        "assay_failover",
        help: "1 while a failover instance issues tokens, because the first instance cannot be reached.")
    package static let ready = MetricName(
        "assay_ready", help: "1 while the service takes requests and writes to its ledger become durable.")
    package static let reloads = MetricName(
        "assay_reloads_total", labels: ["outcome"], help: "Times that the policy and the TLS files were read again.")
    package static let policyInfo = MetricName(
        "assay_policy_info", labels: ["digest"], help: "1 for the policy in force, by SHA-256 of its file.")
    package static let policyApps = MetricName("assay_policy_apps", help: "Apps of the policy in force.")
    package static let lostLogLines = MetricName(
        "assay_log_lines_lost_total",
        help: "Log lines that could not be written at once, such as to a pipe that is full.")
    package static let requests = MetricName(
        "http_server_request_duration_seconds",
        labels: ["http_request_method", "http_route", "http_response_status_code"],
        help: "Time to answer a request, without sending the answer.")

    /// The metrics of the service, with those of the modules that every service has.
    package static let service: [MetricName] =
        shared + verifier + policies + [
            .certificateEnd, .failover, .ready, .reloads, .policyInfo, .policyApps, .lostLogLines, .requests,
        ]
}
