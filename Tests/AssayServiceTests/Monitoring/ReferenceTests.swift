import AssayCore
import AssayProgram
import AssayTestSupport
import Foundation
import Testing

@Suite("The references of metrics and logs")
struct ReferenceTests {
    private static let root = TestVectors.folder.deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The cells of the rows of tables, without the backticks of the first one.
    private static func rows(_ text: some StringProtocol) -> [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("Docs/metrics.md has every metric with its labels, and no other")
    func metrics() throws {
        let page = try Self.text("Docs/metrics.md").split(separator: "## Values of labels")[0]
        let found = Self.rows(page).map { "\($0[0]) \($0.count > 2 ? $0[1] : "")".trimmingCharacters(in: .whitespaces) }
        let expected = MetricName.program.map { metric in
            "`\(metric.rawValue)` \(metric.labels.map { "`\($0)`" }.joined(separator: ", "))"
                .trimmingCharacters(in: .whitespaces)
        }
        #expect(found.sorted() == expected.sorted())
        for metric in MetricName.program { #expect(page.contains(" \(metric.help) |"), "\(metric)") }
    }

    @Test("Docs/logs.md has every event and every field that is logged, and no other")
    func logs() throws {
        let page = try Self.text("Docs/logs.md")
        let tables = page.split(separator: "## ")
        let events = try #require(tables.first { $0.hasPrefix("Events") })
        let fields = try #require(tables.first { $0.hasPrefix("Fields") })
        var (messages, names): (Set<String>, Set<String>) = ([], [])
        for folder in ["Sources/AssayService", "Sources/AssayHTTP", "Sources/AssayHummingbird"] {
            let paths = try #require(
                FileManager.default.subpaths(atPath: Self.root.appendingPathComponent(folder).path))
            for path in paths where path.hasSuffix(".swift") {
                // Attributes of spans are no fields of logs.
                let source = try Self.text("\(folder)/\(path)").replacing(/attributes\[[^\]]*\]/, with: "")
                let calls = source.matches(
                    of:
                        /\blogger\.(?:log\(level: \w+, |(?:trace|debug|info|notice|warning|error|critical)\()\s*"([^"]+)"/
                )
                messages.formUnion(calls.map { String($0.1) })
                let keys = source.matches(
                    of: /"((?:assay\.[a-zA-Z.]+)|(?:http\.[a-z_.]+)|url\.path|trace_id)"(?:\]| *: )/)
                names.formUnion(keys.map { String($0.1) })
            }
        }
        // Those of a decision, which get their prefix where they are logged.
        let decision = try Self.text("Sources/AssayHTTP/Refusals/RefusalLog.swift")
        names.formUnion(decision.matches(of: /\(\s*"([a-zA-Z]+)", (?:"|\.array)/).map { "assay.\($0.1)" })
        // Those of subjects.
        let sources = try #require(
            FileManager.default.subpaths(atPath: Self.root.appendingPathComponent("Sources").path))
        for path in sources where path.hasSuffix("Subject.swift") {
            let facts = try Self.text("Sources/\(path)").matches(of: /ClientFact\("([a-zA-Z]+)"/)
            names.formUnion(facts.map { "assay.\($0.1)" })
        }
        #expect(messages.count > 8 && names.count > 20)
        #expect(Set(Self.rows(events).map { $0[0].replacing("`", with: "") }) == messages)
        #expect(Set(Self.rows(fields).map { $0[0].replacing("`", with: "") }) == names)
    }
}
