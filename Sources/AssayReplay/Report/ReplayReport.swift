import Assay
import AssayPrimitives
public import FoundationEssentials

/// A summary as one HTML page that needs nothing else: no network, no files beside it.
///
/// The page has charts with their numbers as tables, and a table of records that can be filtered. Nothing in it comes from
/// evidence without being escaped, and its content security policy lets no script run but its own. Equal summaries with
/// equal labels are equal bytes.
public struct ReplayReport: Sendable {
    /// What the page calls things.
    public struct Labels: Sendable {
        /// The heading.
        public var title: String
        /// The policy.
        public var policy: String
        /// The policy that it is compared with.
        public var against: String
        /// When the page was made, if it is to say so.
        public var generatedAt: Date?

        /// Names things.
        public init(
            title: String = "Replay of captured evidence", policy: String = "the policy",
            against: String = "the other policy", generatedAt: Date? = nil
        ) {
            self.title = title
            self.policy = policy
            self.against = against
            self.generatedAt = generatedAt
        }
    }

    let summary: ReplaySummary
    let labels: Labels

    /// A report on a summary.
    public init(_ summary: ReplaySummary, labels: Labels = Labels()) {
        self.summary = summary
        self.labels = labels
    }

    /// The page, UTF-8.
    public func html() -> String {
        let rows = summary.rows
        let sections = [
            headline, time, reasons, comparison, breakdowns, measures, ReportRecords(rows: rows, report: self).markup,
        ]
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="\(ReplayReport.contentSecurityPolicy)"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <meta name="referrer" content="no-referrer"/>
            <title>\(labels.title)</title>
            <link rel="icon" href="data:,"/>
            <style>\(.verbatim(ReportStyle.text))</style>
            </head>
            <body>
            \(ReplayReport.patterns)<header><h1>\(labels.title)</h1></header>
            <main>
            \(sections)</main>
            <footer>\(footer)</footer>
            <script>\(.verbatim(ReportScript.text))</script>
            </body>
            </html>

            """
        return page.html
    }

    /// What the page may do: run the one script and use the one style sheet that are in it.
    private static let contentSecurityPolicy: String = {
        func source(_ text: String) -> String {
            "'sha256-\(Base64.encode(Digest.sha256(Array(text.utf8)), .standard))'"
        }
        return "default-src 'none'; style-src \(source(ReportStyle.text)); script-src \(source(ReportScript.text)); "
            + "img-src data:; base-uri 'none'; form-action 'none'"
    }()

    /// The patterns that tell outcomes apart where colours do not.
    private static let patterns: Markup = """
        <svg class="patterns" width="0" height="0" aria-hidden="true"><defs>\
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <rect class="base-rejected" width="6" height="6"/><rect class="gap" width="2" height="6"/></pattern>\
        <pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">\
        <rect class="base-failed" width="6" height="6"/><circle class="gap" cx="3" cy="3" r="1.6"/></pattern>\
        </defs></svg>

        """

    private var footer: Markup {
        guard let time = labels.generatedAt else { return "Made by assay." }
        return "Made by assay at \(ReplayTime(time).description)."
    }
}
