import Assay
import AssayTestSupport
import Foundation
import Testing

/// Opens the console in Chromium, which the environment variable `ASSAY_BROWSER` names; `make test` sets it to the output of
/// Scripts/install-browser. Without it the test is skipped; in CI that is a failure.
@Suite("The console in a browser", .timeLimit(.minutes(30)))
struct ConsoleBrowserTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let browser = environment["ASSAY_BROWSER"].flatMap { $0.isEmpty ? nil : $0 }
    private static let isDemanded =
        browser != nil || environment["CI"] == "true" || environment["ASSAY_SHARED"]?.isEmpty == false
    private static let root = TestVectors.folder.deletingLastPathComponent()
    private static let axe = root.appendingPathComponent(".build/axe/axe.min.js").path
    private static let hasAxe = FileManager.default.fileExists(atPath: axe) || environment["CI"] == "true"

    @Test(
        "Every page has no barrier that axe finds, fits a phone and loads nothing from elsewhere, in both colour schemes; all of it works without script, and with two operators",
        .enabled(
            if: isDemanded && hasAxe, "run `make test`, or set ASSAY_BROWSER to what Scripts/install-browser prints"))
    func pages() throws {
        let browser = try #require(Self.browser)
        try #require(FileManager.default.fileExists(atPath: Self.axe), "Scripts/install-browser fetches it")
        let site = try ConsoleVisitor.Administered(
            "console=on", "capture.folder=captures", "capture.key=public.key", "capture.share=100%"
        ) { folder in try folder.write("public.key", CapturePrivateKey.make().publicKey.text + "\n") }
        for record in [
            try Evidence.attestation("first"), try Evidence.assertion("second", counter: 1),
            try Evidence.assertion("third", counter: 1), "{\"app\":\"<b>\u{202E}\",\"kind\":\"x\",\"evidence\":{}}",
        ] { _ = try site.service.send("POST", "/v1/verify", body: record) }
        let check = Self.root.appendingPathComponent("Tests/Support/ReportBrowser/console.py").path
        let run = try ProgramRun(
            "python3",
            [
                "-B", check, browser, Self.axe, "http://localhost:\(site.port)/console",
                site.service.folder.path("token-admin"), site.service.folder.path("token-operator"),
            ])
        #expect(run.status == 0, "\(run.text)")
    }
}
