import AssayCore
import AssayProgram
import AssayTestSupport
import Foundation
import Testing

/// The files of `Examples/monitoring`, and Prometheus.
enum Monitoring {
    static let folder = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Examples/monitoring")

    /// The metric of a name in the exposition, in which histograms have suffixes.
    static func metric(_ name: String) throws -> MetricName {
        let base = name.replacing(/_(bucket|sum|count)$/, with: "")
        return try #require(MetricName.program.first { [name, base].contains($0.rawValue) }, "no metric \(name)")
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// The path of `prometheus` or `promtool`, which Scripts/install-prometheus installs.
    static func program(_ name: String) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let folders =
            [environment["ASSAY_PROMETHEUS"] ?? ""] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let path = (folders + ["/usr/bin"]).filter { !$0.isEmpty }.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        return try #require(path, "\(name) is not installed; Scripts/install-prometheus installs it")
    }

    /// The expressions of the dashboard, with a value for each of its variables.
    static func queries() throws -> [(panel: String, query: String)] {
        let object = try JSONSerialization.jsonObject(with: Data(text("dashboard.json").utf8)) as? [String: Any]
        let panels = try #require(object?["panels"] as? [[String: Any]])
        return panels.flatMap { panel in
            (panel["targets"] as? [[String: Any]] ?? []).compactMap { target in
                guard let title = panel["title"] as? String, let query = target["expr"] as? String else { return nil }
                return (
                    title,
                    query.replacingOccurrences(of: "$__rate_interval", with: "1m")
                        .replacingOccurrences(of: "$app", with: ".*").replacingOccurrences(of: "$kind", with: ".*")
                )
            }
        }
    }
}

/// A Prometheus of a test, in its folder, on loopback.
final class RunningPrometheus {
    private let process = Process()
    private let folder: TestFolder
    private let port: Int

    /// What is the day before in the rules, in seconds.
    static let past = 20

    /// Scrapes addresses each second, under the example's rules without their delays, with windows of seconds for minutes, and with
    /// thresholds that a short run reaches.
    init(scraping addresses: [String], in folder: TestFolder) throws {
        self.folder = folder
        port = try Loopback.freePort()
        let rules = try Monitoring.text("alerts.yaml").replacing(#/\ *for:\ \w+\n/#, with: "")
            .replacing("[5m]", with: "[8s]").replacing("[10m]", with: "[8s]")
            .replacing("[1d] offset 20m", with: "[8s] offset \(Self.past)s").replacing("> 0.25\n", with: "> 0.9\n")
            .replacing("> 100000", with: "> 100")
        try folder.write("alerts.yaml", rules)
        let configuration = try Monitoring.text("prometheus.yaml").replacing("15s", with: "1s")
            .replacing("127.0.0.1:8081", with: addresses.joined(separator: "\", \""))
        try folder.write("prometheus.yaml", configuration)
        process.executableURL = URL(fileURLWithPath: try Monitoring.program("prometheus"))
        process.arguments = [
            "--config.file=\(folder.path("prometheus.yaml"))", "--storage.tsdb.path=\(folder.path("tsdb"))",
            "--web.listen-address=127.0.0.1:\(port)", "--log.level=error",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The answer to a request of the API; nil while Prometheus does not listen.
    func ask(_ path: String) throws -> [String: Any]? {
        guard let connection = Connection(ifListening: port) else { return nil }
        connection.write("GET /api/v1/\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answer = HTTPAnswer(connection.readToEnd())
        // While it starts, it answers with a text.
        return try? JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
    }

    /// The number of series of a query; nil if Prometheus does not listen or refuses the query.
    func series(_ query: String) throws -> Int? { try labels(query)?.count }

    /// The labels of the series of a query; nil if Prometheus does not listen or refuses the query.
    private func labels(_ query: String) throws -> [[String: String]]? {
        let escaped = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try ask("query?query=\(escaped)")
        guard answer?["status"] as? String == "success", let data = answer?["data"] as? [String: Any] else {
            return nil
        }
        return (data["result"] as? [[String: Any]])?.map { $0["metric"] as? [String: String] ?? [:] }
    }

    /// The names of the alerts that have fired in this run, perhaps between two looks at those that fire.
    func fired() throws -> Set<String> {
        let found = try labels("count by (alertname) (count_over_time(ALERTS{alertstate=\"firing\"}[1h]))")
        return Set((found ?? []).compactMap { $0["alertname"] })
    }

    /// The names of the alerts that fire; empty while Prometheus does not listen.
    func firing() throws -> Set<String> {
        let data = try ask("alerts")?["data"] as? [String: Any]
        let alerts = (data?["alerts"] as? [[String: Any]] ?? []).filter { $0["state"] as? String == "firing" }
        return Set(alerts.compactMap { ($0["labels"] as? [String: String])?["alertname"] })
    }
}

extension TestFolder {
    /// The text of a file; empty if it cannot be read.
    func read(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }
}
