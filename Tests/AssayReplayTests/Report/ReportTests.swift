import Assay
import AssayCore
import AssayPrimitives
import AssayReplay
import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The page is complete, well-formed and safe for any evidence.
@Suite("HTML report")
struct ReportTests {
    static let hostile = "</script><img src=x onerror=alert(1)>\"' & <!-- ]]> \u{2028}\u{202E}\u{0}"

    private func page(_ summary: ReplaySummary) -> String { ReplayReport(summary).html() }

    /// The page without the contents of an element, and these contents.
    private func parts(_ html: String, of element: String) throws -> (rest: String, contents: [String]) {
        var rest = ""
        var contents: [String] = []
        var remaining = html[...]
        while let open = remaining.range(of: "<\(element)") {
            let start = try #require(remaining[open.upperBound...].firstIndex(of: ">"))
            let end = try #require(remaining[start...].range(of: "</\(element)>"))
            rest += remaining[...start]
            contents.append(String(remaining[remaining.index(after: start)..<end.lowerBound]))
            remaining = remaining[end.lowerBound...].dropFirst(0)
            rest += remaining[end]
            remaining = remaining[end.upperBound...]
        }
        return (rest + remaining, contents)
    }

    /// The elements of a well-formed XML page, with their attributes.
    private func elements(_ html: String) throws -> [(name: String, attributes: [String: String])] {
        var text = try parts(html, of: "script").rest
        text = try parts(text, of: "style").rest
        let parser = XMLParser(data: Data(text.utf8))
        let collector = Collector()
        parser.delegate = collector
        #expect(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
        return collector.elements
    }

    private final class Collector: NSObject, XMLParserDelegate {
        var elements: [(name: String, attributes: [String: String])] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append((name, attributes))
        }
    }

    static func hostileSummary() async throws -> ReplaySummary {
        let hostile = Self.hostile
        let subject = SampleSubject(fields: [
            SubjectField("bundleVersion", .text(hostile)), SubjectField(hostile, .text(hostile)),
        ])
        let verdict = try await ReplaySamples.verdict(
            kind: hostile, app: hostile,
            checks: [.failed(CheckID(hostile.filter { $0 != " " }), Finding(CheckCode(hostile, ""), hostile))],
            subject: subject)
        var summary = ReplaySummary([
            ReplaySamples.record(
                .verdict(verdict), against: .failure(ReplayFailure(hostile, hostile)), id: hostile, file: hostile,
                expect: .init(outcome: .accept, failed: [.init(check: hostile, code: nil)])),
            ReplaySamples.record(
                .failure(ReplayFailure(hostile, hostile)), against: .verdict(verdict), id: hostile, file: hostile,
                line: 2),
        ])
        summary.note(hostile, count: 1)
        return summary
    }

    @Test("Pages of empty, usual and hostile corpora are well-formed, with unique ids")
    func wellFormed() async throws {
        let usual = ReplaySummary(try await ReplaySamples.corpus(500, seed: 5))
        for summary in [ReplaySummary(), usual, try await Self.hostileSummary()] {
            let elements = try elements(page(summary))
            let ids = elements.compactMap { $0.attributes["id"] }
            #expect(Set(ids).count == ids.count)
            #expect(elements.contains { $0.name == "h1" })
        }
    }

    @Test("Text of evidence never becomes markup or script, and never ends the data")
    func hostileText() async throws {
        let html = ReplayReport(
            try await Self.hostileSummary(), policy: Self.hostile, against: Self.hostile, title: Self.hostile
        ).html()
        #expect(!html.contains("<img"))
        #expect(!html.contains("\u{202E}"))
        #expect(!html.contains("\u{0}"))
        let elements = try elements(html)
        #expect(!elements.contains { $0.name == "img" || $0.attributes.keys.contains { $0.hasPrefix("on") } })
        let scripts = try parts(html, of: "script").contents
        #expect(scripts.count == 2)
        let data = try #require(scripts.first { $0.contains("\"rows\"") })
        #expect(!data.contains("<") && !data.contains(">") && !data.contains("&"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect((rows.first?["id"] as? String)?.hasPrefix("</script><img src=x onerror=alert(1)>\"' & <!--") == true)
    }

    @Test("The page loads nothing, and its policy allows only its own script and style")
    func selfContained() async throws {
        let html = page(ReplaySummary(try await ReplaySamples.corpus(50, seed: 6)))
        let elements = try elements(html)
        for (name, attributes) in elements {
            #expect(attributes["src"] == nil && attributes["style"] == nil, "\(name)")
            if let link = attributes["href"] { #expect(link == "data:," || link.hasPrefix("#")) }
        }
        let policy = try #require(elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" })
        let content = try #require(policy.attributes["content"])
        #expect(content.hasPrefix("default-src 'none'; "))
        #expect(!content.contains("unsafe"))
        let script = try #require(try parts(html, of: "script").contents.last)
        let style = try #require(try parts(html, of: "style").contents.last)
        for (directive, text) in [("script-src", script), ("style-src", style)] {
            let digest = Data(Digest.sha256(Array(text.utf8))).base64EncodedString()
            #expect(content.contains("\(directive) 'sha256-\(digest)';"))
        }
    }

    @Test("Every chart has a name, a description, and a table of its numbers")
    func accessibility() async throws {
        let elements = try elements(page(ReplaySummary(try await ReplaySamples.corpus(500, seed: 7))))
        let ids = Set(elements.compactMap { $0.attributes["id"] })
        let charts = elements.filter { $0.name == "svg" && $0.attributes["role"] == "img" }
        #expect(charts.count > 6)
        for chart in charts {
            let names = try #require(chart.attributes["aria-labelledby"]).split(separator: " ").map(String.init)
            #expect(names.count == 2 && names.allSatisfy(ids.contains))
        }
        let figures = elements.filter { $0.name == "figure" }.count
        #expect(elements.filter { $0.name == "details" && $0.attributes["class"] == "numbers" }.count == figures)
        // All other drawings are parts of charts or decoration.
        for svg in elements where svg.name == "svg" && svg.attributes["role"] == nil {
            #expect(svg.attributes["aria-hidden"] == "true" || svg.attributes["viewBox"] != nil)
        }
    }

    @Test("Equal summaries give equal bytes, with a time only if one is given")
    func deterministic() async throws {
        let records = try await ReplaySamples.corpus(300, seed: 8)
        let html = page(ReplaySummary(records))
        #expect(page(ReplaySummary(records)) == html)
        #expect(html.contains("Made by assay."))
        let dated = ReplayReport(ReplaySummary(records), generatedAt: ReplaySamples.time).html()
        #expect(dated.contains("Made by assay at 2026-04-21T18:13:12Z."))
    }

    @Test("The contents link to every section, and every line stands in the page without its script")
    func contents() async throws {
        let records = try await ReplaySamples.corpus(500, seed: 9)
        let html = page(ReplaySummary(records))
        let elements = try elements(html)
        let ids = Set(elements.compactMap { $0.attributes["id"] })
        let links = elements.filter { $0.name == "a" }.compactMap { $0.attributes["href"]?.dropFirst() }.map(
            String.init)
        #expect(links == ["comparison", "reasons", "over-time", "breakdowns", "measures", "records-title"])
        #expect(ids.isSuperset(of: links))
        let outcomes = elements.filter { $0.attributes["class"]?.hasPrefix("outcome is-") == true }
        #expect(outcomes.count == records.count)
        let regions = elements.filter { $0.attributes["class"] == "scroll" }
        #expect(regions.count == elements.filter { $0.name == "table" }.count)
        #expect(
            regions.allSatisfy { $0.attributes["aria-label"]?.isEmpty == false && $0.attributes["tabindex"] == "0" })
    }

    @Test("A table has all values of a breakdown")
    func allValues() async throws {
        let checks = ReplaySamples.checks()
        var summary = ReplaySummary()
        for number in 0..<300 {
            let subject = SampleSubject(fields: [SubjectField("bundleVersion", .text("1.\(number)"))])
            summary.add(
                ReplaySamples.record(.verdict(try await ReplaySamples.verdict(checks: checks, subject: subject))))
        }
        let html = page(summary)
        for number in 0..<300 { #expect(html.contains("<th scope=\"row\">1.\(number)</th>")) }
    }

    @Test("A failed check is explained with an example")
    func explanations() async throws {
        let verdict = try await ReplaySamples.verdict(
            checks: ReplaySamples.checks(failing: "app-attest.assertion.counter", detail: "counter 3 after 7"))
        let html = page(ReplaySummary([ReplaySamples.record(.verdict(verdict), id: "login-17")]))
        let definition = try #require(Verifier.catalogue.first { $0.id.name == "app-attest.assertion.counter" })
        #expect(html.contains(definition.proves.replacing("'", with: "&#39;")))
        #expect(html.contains("<b>login-17</b> counter 3 after 7"))
    }
}
