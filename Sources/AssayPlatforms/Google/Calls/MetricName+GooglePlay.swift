package import AssayCore

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

    /// The metrics of the Play Integrity API.
    package static let googlePlay: [MetricName] = [.googleRequests, .googleRefused, .googleQuota]
}
