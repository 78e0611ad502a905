import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The Chromium browser for reports.
///
/// The environment variable `ASSAY_BROWSER` names it; `make test` sets it to the output of Scripts/install-browser.
/// Without it the test is skipped and says so; in CI that is a failure. `ASSAY_SCREENSHOTS` names a folder for
/// screenshots.
private enum Chromium {
    static let environment = ProcessInfo.processInfo.environment
    static let program = environment["ASSAY_BROWSER"].flatMap { $0.isEmpty ? nil : $0 }
    static let isDemanded =
        program != nil || environment["CI"] == "true" || environment["ASSAY_SHARED"]?.isEmpty == false
    static let hint = "run `make test`, or set ASSAY_BROWSER to what Scripts/install-browser prints, to run this"
}

/// Opens reports in a headless Chromium.
@Suite("Reports in a browser")
struct ReportBrowserTests {
    @Test(
        "A report filters, opens records, fits a phone, logs nothing and loads nothing, in both colour schemes",
        .enabled(if: Chromium.isDemanded, "\(Chromium.hint)"))
    func page() async throws {
        let browser = try #require(Chromium.program, "\(Chromium.hint)")
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let pages = [
            ("report.html", ReplaySummary(try await ReplaySamples.corpus(800, seed: 11))),
            ("hostile.html", try await ReportTests.hostileSummary()),
        ]
        for (name, summary) in pages {
            let report = ReplayReport(summary, policy: "policy.yaml", against: "stricter.yaml")
            try ReportFile.write(report.html(), to: folder.path(name))
        }
        let pictures = Chromium.environment["ASSAY_SCREENSHOTS"] ?? folder.path("pictures")
        let check = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Support/ReportBrowser/check.py").standardizedFileURL.path
        let run = try ProgramRun(
            "python3", ["-B", check, browser] + pages.map { folder.path($0.0) } + [pictures])
        #expect(run.status == 0, "\(run.text)")
    }
}
