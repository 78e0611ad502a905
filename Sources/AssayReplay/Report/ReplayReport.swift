import Assay
package import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// The results of a replay as one self-contained HTML page: charts with tables, and a filtered list of records.
///
/// All text from evidence is escaped, and the content security policy allows only the page's own script and style
/// sheet. Equal summaries with equal labels give equal bytes.
public struct ReplayReport: Sendable {
    let summary: ReplaySummary
    let policy: String
    let against: String
    private let title: String
    private let generatedAt: Date?
    /// The checks that the page explains.
    package var catalogue = Verifier.catalogue

    /// Prepares a page.
    ///
    /// - Parameters:
    ///   - policy: the name of the policy.
    ///   - against: the name of the second policy.
    ///   - title: the heading.
    ///   - generatedAt: the time in the footer; nil for none.
    public init(
        _ summary: ReplaySummary, policy: String = "the policy", against: String = "the other policy",
        title: String = "Replay of captured evidence", generatedAt: Date? = nil
    ) {
        (self.summary, self.policy, self.against) = (summary, policy, against)
        (self.title, self.generatedAt) = (title, generatedAt)
    }

    /// The page, UTF-8.
    public func html() -> String {
        let sections = [
            comparison, reasons, time, breakdowns, measures, ReportRecords(report: self).section,
        ].compactMap { $0 }
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="\(ReplayReport.contentSecurityPolicy)"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <meta name="referrer" content="no-referrer"/>
            <title>\(title)</title>
            <link rel="icon" href="data:,"/>
            <style>\(.verbatim(ReportStyle.text))</style>
            </head>
            <body>
            \(Chart.patterns)<header><h1>\(title)</h1></header>
            <main>
            \(headline)\(ReplayReport.contents(sections))\(sections.map(\.markup))</main>
            <footer>\(footer)</footer>
            <script>\(.verbatim(ReportScript.text))</script>
            </body>
            </html>

            """
        return page.html
    }

    /// Allows only the page's own script and style sheet, by hash.
    private static let contentSecurityPolicy: String = {
        func source(_ text: String) -> String {
            "'sha256-\(Base64.encode(Digest.sha256(Array(text.utf8)), .standard))'"
        }
        return "default-src 'none'; style-src \(source(ReportStyle.text)); script-src \(source(ReportScript.text)); "
            + "img-src data:; base-uri 'none'; form-action 'none'"
    }()

    /// A part of the page with a heading.
    struct Section {
        /// The ID of the heading, unique in the page.
        let id: String
        let title: String
        let content: Markup

        fileprivate var markup: Markup {
            """
            <section aria-labelledby="\(id)"><h2 id="\(id)">\(title)</h2>
            \(content)</section>

            """
        }
    }

    private static func contents(_ sections: [Section]) -> Markup {
        guard sections.count > 1 else { return "" }
        let items: [Markup] = sections.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>\n" }
        return """
            <nav class="contents" aria-labelledby="contents"><h2 id="contents">Contents</h2>
            <ol>\(items)</ol></nav>

            """
    }

    private var footer: Markup {
        guard let time = generatedAt else { return "Made by assay." }
        return "Made by assay at \(ReplayTime(time).description)."
    }
}

extension ReplayReport {
    /// The answer, the outcomes and notes.
    var headline: Markup {
        let outcomes = summary.outcomes
        let numbers = [
            ("accepted", "Accepted", outcomes.accepted), ("rejected", "Rejected", outcomes.rejected),
            ("failed", "Not judged", outcomes.failed),
        ]
        let cards: [Markup] = numbers.map { fill, name, count in
            """
            <div><dt>\(Chart.swatch(fill))\(name)</dt><dd>\(NumberText.count(count)) \
            <small>\(NumberText.percent(count, of: outcomes.total))</small></dd></div>
            """
        }
        let span: Markup =
            if let first = summary.first, let last = summary.last {
                """
                <p class="muted">From \(NumberText.time(first, interval: 1)) to \(NumberText.time(last, interval: 1)), UTC.</p>

                """
            } else {
                ""
            }
        let answer = ReplayAnswer(summary, against: against)
        let details = ([answer.reason].compactMap { $0 } + answer.remarks).joined(separator: " ")
        let explained: Markup = details.isEmpty ? "" : "<p>\(details)</p>\n"
        let today: Markup =
            summary.isComparison ? "<p class=\"muted\">Under \(policy): \(summary.sentence).</p>\n" : ""
        return """
            <section aria-labelledby="headline"><h2 id="headline">\(answer.sentence)</h2>
            \(explained)\(today)\(span)<dl class="cards">\(cards)</dl>
            \(share)\(warnings)</section>

            """
    }

    private var share: Markup {
        let outcomes = summary.outcomes
        guard outcomes.total > 0 else { return "" }
        var x = Percent(hundredths: 0)
        let parts: [Markup] = outcomes.parts.filter { $0.count > 0 }.map { part in
            let width = Percent(part.count, of: outcomes.total)
            defer { x = x + width }
            return "<rect class=\"\(part.fill)\" x=\"\(x.text)\" y=\"0\" width=\"\(width.text)\" height=\"14\"/>"
        }
        return """
            <svg role="img" aria-labelledby="share-title share-text" width="100%" height="14">\
            <title id="share-title">Shares of the outcomes</title><desc id="share-text">\(summary.sentence)</desc>\(parts)\
            </svg>

            """
    }

    /// Notes that affect how to read the numbers.
    private var warnings: Markup {
        var items: [Markup] = []
        if let ending = summary.ending {
            items.append("<li class=\"warning\"><strong>Incomplete:</strong> \(ending).</li>")
        }
        if summary.mismatches > 0 {
            items.append(
                """
                <li class="warning"><strong>\(NumberText.count(summary.mismatches, "record"))</strong> had another \
                verdict than expected.</li>
                """)
        }
        if let tests = summary.testAuthorityCount {
            items.append(
                """
                <li class="warning"><strong>\(NumberText.count(tests, "record"))</strong> \
                \(tests == 1 ? "rests" : "rest") on a test authority, not on the platform's own.</li>
                """)
        }
        if summary.annotated > 0 {
            items.append(
                """
                <li><strong>\(NumberText.count(summary.annotated, "accepted record"))</strong> \
                \(summary.annotated == 1 ? "fails" : "fail") a check that the policy only notes.</li>
                """)
        }
        if summary.isComparison {
            items.append("<li>Under \(against): \(summary.sentenceAgainst).</li>")
        }
        items += summary.notes.map { "<li>\($0.text): <strong>\(NumberText.count($0.count))</strong></li>" }
        return items.isEmpty ? "" : "<ul class=\"notes\">\(items)</ul>\n"
    }

    /// Outcome over time.
    var time: Section? {
        guard let chart = TimeChart(summary.series)?.chart else { return nil }
        let untimed = summary.untimed
        let without =
            untimed > 0 ? " \(NumberText.count(untimed, "record")) \(untimed == 1 ? "has" : "have") no time." : ""
        let content: Markup = """
            \(Chart.legend)
            <p>\(chart.description)\(without)</p>
            \(chart.markup)
            """
        return Section(id: "over-time", title: "Outcome over time", content: content)
    }
}
