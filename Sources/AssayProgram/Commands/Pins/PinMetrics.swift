import Foundation

/// The result of a check in the text format of Prometheus, for the textfile collector of node_exporter.
enum PinMetrics {
    /// - Parameter isLedgerUp: whether the pins could be read from the ledger; nil if they came from a file.
    static func text(_ hosts: [CheckedHost], isLedgerUp: Bool?, at now: Date) -> String {
        func family(_ name: String, _ help: String, _ samples: [String]) -> String {
            samples.isEmpty ? "" : "# HELP \(name) \(help)\n# TYPE \(name) gauge\n" + samples.map { $0 + "\n" }.joined()
        }
        // Names of hosts need no escapes: they are letters, digits, - and .
        return family(
            "assay_pins_ok", "1 if every address of the host presents a certificate that its pins allow, otherwise 0.",
            hosts.map { "assay_pins_ok{host=\"\($0.name)\"} \($0.isGood ? 1 : 0)" })
            + family(
                "assay_pins_days_left", "Days until the leaf of the host, or the window of its pin, ends.",
                hosts.compactMap { host in
                    host.daysLeft.map { "assay_pins_days_left{host=\"\(host.name)\"} \($0)" }
                })
            + family(
                "assay_pins_ledger_up", "1 if the pins could be read from the ledger, otherwise 0.",
                isLedgerUp.map { ["assay_pins_ledger_up \($0 ? 1 : 0)"] } ?? [])
            + family(
                "assay_pins_checked_timestamp_seconds", "When the check began, in seconds since 1970.",
                ["assay_pins_checked_timestamp_seconds \(Int(now.timeIntervalSince1970))"])
    }
}
