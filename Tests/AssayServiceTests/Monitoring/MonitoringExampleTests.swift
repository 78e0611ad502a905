import Assay
import AssayCore
import AssayProgram
import AssayService
import AssayTestSupport
import Foundation
import Testing

@Suite("The monitoring examples")
struct MonitoringExampleTests {
    /// All expressions of the dashboard and the alerts.
    private static func expressions() throws -> [String] {
        let alerts = try Monitoring.text("alerts.yaml")
        return try Monitoring.queries().map(\.query) + [alerts]
    }

    @Test("Every metric, label, check, code and value of a label that they name exists")
    func names() throws {
        var found: Set<MetricName> = []
        for text in try Self.expressions() {
            for match in text.matches(of: /\b((?:assay|http)_[a-z_]+)(?:\{([^}]*)\})?/) {
                let name = String(match.1)
                // `assay_...` stands in names of alerts' jobs and labels, too: they are no metrics.
                if MetricName.program.flatMap(\.labels).contains(name) { continue }
                let metric = try Monitoring.metric(name)
                found.insert(metric)
                for label in (match.2 ?? "").matches(of: /([a-z_]+) *(?:=~|=)"([^"]*)"/) {
                    #expect(metric.labels.contains(String(label.1)), "\(name) has no label \(label.1)")
                    for value in label.2.split(separator: "|").map(String.init) {
                        #expect(Self.exists(value, as: String(label.1), of: metric), "\(name): \(label.1)=\"\(value)\"")
                    }
                }
            }
        }
        let missing = Set(MetricName.program).subtracting(found).map(\.rawValue)
        #expect(missing.isEmpty, "in no panel: \(missing)")
    }

    private static func exists(_ value: String, as label: String, of metric: MetricName) -> Bool {
        switch label {
        case "app": value == ".*"
        case "kind": value == ".*" || Verifier.kinds.contains { $0.name == value }
        case "check": Verifier.catalogue.contains { $0.id.name == value }
        case "code" where metric == .checks: Verifier.catalogue.flatMap(\.codes).contains { $0.name == value }
        case "code": RequestError.Reason(rawValue: value) != nil
        case "status": ["failed", "annotated"].contains(value)
        case "outcome": (metric == .reloads ? ["success", "failure"] : ["accept", "reject"]).contains(value)
        case "http_route": value == "/v1/.*"
        case "http_response_status_code": value == "5.."
        case "event": ["issued", "used", "expired"].contains(value)
        case "period": DevicePeriods.names.contains(value)
        default: false
        }
    }

    @Test("promtool accepts the rules and the configuration, and each alert fires and ends")
    func rules() throws {
        let folder = try TestFolder()
        let promtool = try Monitoring.program("promtool")
        let examples = Monitoring.folder.path
        for command in ["check rules alerts.yaml", "check config prometheus.yaml", "test rules alerts-test.yaml"] {
            let status = try folder.shell("cd '\(examples)' && '\(promtool)' \(command) >'\(folder.path("out"))' 2>&1")
            #expect(status == 0, "\(command): \(folder.read("out"))")
        }
        let alerts = try Monitoring.text("alerts.yaml").matches(of: /- alert: (\w+)/).map { String($0.1) }
        let tests = try Monitoring.text("alerts-test.yaml")
        let guide = try String(
            contentsOf: TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Docs/operations.md"),
            encoding: .utf8)
        #expect(alerts.count > 10)
        for alert in alerts {
            #expect(tests.matches(of: try Regex("alertname: \(alert)\\n")).count >= 2, "\(alert) is not tested")
            #expect(guide.contains("`\(alert)`"), "Docs/operations.md does not explain \(alert)")
        }
    }
}
