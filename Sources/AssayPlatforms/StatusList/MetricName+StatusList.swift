package import AssayCore

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
