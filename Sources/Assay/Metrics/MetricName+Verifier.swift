package import AssayCore

extension MetricName {
    package static let verdicts = MetricName(
        "assay_verdicts_total", labels: ["app", "kind", "outcome"],
        help: "Verdicts. The app is empty if no app of the policy could decode the evidence.")
    package static let checks = MetricName(
        "assay_checks_total", labels: ["app", "check", "status", "code"],
        help: "Checks that failed, or that failed and were only annotated.")
    package static let verification = MetricName(
        "assay_verification_seconds", labels: ["kind"], help: "Time to judge evidence, until the ledger has committed.")
    package static let requestErrors = MetricName(
        "assay_request_errors_total", labels: ["code"],
        help: "Wrong calls: records that cannot be read, unknown apps, apps without a live key.")
    package static let challenges = MetricName(
        "assay_challenges_total", labels: ["app", "kind", "event"],
        help: "Challenges that were issued, used, and presented too late.")
    package static let distinctDevices = MetricName(
        "assay_distinct_devices", labels: ["app", "period"],
        help: "Estimate of the distinct devices and keys accepted in the current period (UTC).")
    package static let refusedDevices = MetricName(
        "assay_refused_devices", labels: ["app", "period"],
        help:
            "Estimate of the distinct devices and keys whose authentic evidence was rejected in the current period (UTC)."
    )
    package static let verdictFacts = MetricName(
        "assay_verdict_facts_total", labels: ["app", "fact", "value", "outcome"],
        help: "Verdicts by the facts that the policy's metrics.by lists, and by the properties of metrics.property.")
    package static let keyEnd = MetricName(
        "assay_key_end_timestamp_seconds", labels: ["name", "use"],
        help: "When a key of the policy or the key store ends, in seconds since 1970.")
    package static let plausibleShare = MetricName(
        "assay_no_evidence_plausible_share", labels: ["app"],
        help:
            "The share of verdicts without evidence that the policy finds plausible: 0 to 1, 0 without noEvidence, 1 without a limit."
    )
    package static let debugTokens = MetricName(
        "assay_debug_tokens_total", labels: ["app", "name"],
        help: "Tokens that were issued for a debug token of the policy, without evidence.")
    package static let failoverTokens = MetricName(
        "assay_failover_tokens_total", labels: ["app"],
        help: "Tokens that a failover instance has issued, without evidence.")
    package static let secretsDelivered = MetricName(
        "assay_secrets_delivered_total", labels: ["app", "name"],
        help: "Runtime secrets that were sealed for clients after accepted evidence.")

    package static let captureRecords = MetricName(
        "assay_capture_records_total", labels: ["result"],
        help: "Records of captured evidence by what became of them: written, dropped, failed or unrecordable.")

    package static let verifier: [MetricName] = [
        .verdicts, .verdictFacts, .checks, .verification, .requestErrors, .challenges, .distinctDevices,
        .refusedDevices, .keyEnd, .plausibleShare, .debugTokens, .failoverTokens, .secretsDelivered,
        .captureRecords,
    ]
}
