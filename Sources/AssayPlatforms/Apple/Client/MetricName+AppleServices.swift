package import AssayCore

extension MetricName {
    package static let appleRequests = MetricName(
        "assay_apple_requests_total", labels: ["service", "status"],
        help: "Requests to App Attest and DeviceCheck, by the status of the answer.")
    package static let appleKeyPaused = MetricName(
        "assay_apple_key_paused", labels: ["name"],
        help: "1 while a key of Apple's services is paused, because Apple refused its token twice.")
    package static let receipts = MetricName(
        "assay_app_attest_receipts_total", labels: ["app", "outcome"],
        help: "Receipts that were due, by what came of them.")
    package static let riskMetric = MetricName(
        "assay_app_attest_risk_metric", labels: ["app"], help: "Risk metrics of refreshed receipts.")

    /// The metrics of Apple's services.
    package static let appleServices: [MetricName] = [.appleRequests, .appleKeyPaused, .receipts, .riskMetric]
}
