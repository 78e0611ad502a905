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

    package static let appleServices: [MetricName] = [.appleRequests, .appleKeyPaused, .receipts, .riskMetric]
}

extension MetricName {
    package static let googleRequests = MetricName(
        "assay_google_requests_total", labels: ["package", "call"],
        help: "Requests to the Play Integrity API, as its quota counts them.")
    package static let googleRefused = MetricName(
        "assay_google_refused_total", labels: ["package"],
        help: "Requests that Google refused because a quota was used up.")
    package static let googleQuota = MetricName(
        "assay_google_quota_used", labels: ["package"],
        help: "Requests of this process on the current day of Google's quota.")

    package static let googlePlay: [MetricName] = [.googleRequests, .googleRefused, .googleQuota]
}

extension MetricName {
    package static let statusListFailing = MetricName(
        "assay_status_list_failing", help: "1 if the last request for the status list of Android keys has failed.")
    package static let statusListRefused = MetricName(
        "assay_status_list_refused_total", labels: ["source", "code"],
        help:
            "Status lists of Android keys that were refused, because they are older or much smaller than the one before."
    )

    package static let statusList: [MetricName] = [.statusListFailing, .statusListRefused]
}
