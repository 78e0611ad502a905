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
        self.summary = summary
        self.policy = policy
        self.against = against
        self.title = title
        self.generatedAt = generatedAt
    }

    /// The page, UTF-8.
    public func html() -> String {
        let sections = [
            headline, time, reasons, comparison, breakdowns, measures, ReportRecords(report: self).markup,
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
            <title>\(title)</title>
            <link rel="icon" href="data:,"/>
            <style>\(.verbatim(ReportStyle.text))</style>
            </head>
            <body>
            \(ReplayReport.patterns)<header><h1>\(title)</h1></header>
            <main>
            \(sections)</main>
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

    /// Patterns that distinguish outcomes without colours.
    private static let patterns: Markup = """
        <svg class="patterns" width="0" height="0" aria-hidden="true"><defs>\
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <rect class="base-rejected" width="6" height="6"/><rect class="gap" width="2" height="6"/></pattern>\
        <pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">\
        <rect class="base-failed" width="6" height="6"/><circle class="gap" cx="3" cy="3" r="1.6"/></pattern>\
        </defs></svg>

        """

    private var footer: Markup {
        guard let time = generatedAt else { return "Made by assay." }
        return "Made by assay at \(ReplayTime(time).description)."
    }
}
