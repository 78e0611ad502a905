import Assay
import AssayCore
import AssayReplay
import FoundationEssentials

/// What the service captures, and what a candidate policy would cost on the last of it.
extension Console {
    /// How long a replay may take.
    private static let replayTime = Duration.seconds(5)

    var capturesPage: Page {
        Page(path: Self.path + "/captures", name: "Captures", right: .read, parameters: []) {
            (_) async throws(Problem) in
            let settings = administration.configuration.capture
            let state = administration.state
            guard let folder = settings.folder, let capture = state.capture, let files = state.captures else {
                return ConsolePage(
                    title: "Captures",
                    content: """
                        <p>The service captures no evidence. With <code>capture.folder</code> and <code>capture.key</code> in its \
                        configuration, it keeps a share of what it judges, sealed, for replays: what another policy would cost \
                        is known before it is in force.</p>
                        """)
            }
            let contents: Result<(files: Int, bytes: Int), CaptureError> = await administration.work.run {
                Result { () throws(CaptureError) in try files.contents() }
            }
            let size: String
            switch contents {
            case .success(let contents): size = "\(NumberText.count(contents.files, "file")), \(contents.bytes) bytes"
            case .failure(let error): size = error.message
            }
            let kinds = settings.kinds.isEmpty ? "all" : settings.kinds.map(\.name).joined(separator: ", ")
            let lost = [.dropped, .failed, .unrecordable].reduce(0) { $0 + capture.count($1) }
            let status: Markup =
                capture.isFailing
                ? "<p class=\"alert\" role=\"alert\">The last record could not be written; the log says why.</p>" : ""
            return ConsolePage(
                title: "Captures",
                content: """
                    \(status)\(Markup.facts([
                        ("State", capture.isFailing ? "failing" : "writing"), ("Folder", folder), ("In the folder", size),
                        ("Share", "\((settings.share * 1e8).rounded() / 1e6) %"), ("Kinds", kinds),
                        ("At most", "\(settings.maximumSize) bytes, for \(PolicyNode.text(ofSeconds: settings.keepFor))"),
                        ("In memory", NumberText.count(files.recent(at: Date()).count, "record")),
                        ("Lost since the start", "\(lost)"),
                    ]))
                    <h2>Records since the start</h2>\(Markup.table(
                        "Records since the start", ["Result", "Records"],
                        SampledCapture.Result.allCases.map { ["\($0.rawValue)", "\(capture.count($0))"] }, none: ""))
                    \(Self.command(folder))
                    """,
                isRefreshed: true)
        }
    }

    /// What to run for all captures.
    private static func command(_ folder: String) -> Markup {
        """
        <p class="muted">The records of the folder are sealed: this machine cannot read them. Where the private key is, \
        <code>assay replay \(folder) --policy policy.yaml --against candidate.yaml --capture-key file:capture-private.key</code> \
        judges all of them.</p>
        """
    }

    /// What a candidate would lose and gain of the last captured records, compared with the policy in force.
    func cost(of candidate: VerificationPolicy) async -> Markup {
        let (state, dependencies) = (administration.state, administration.dependencies)
        guard let folder = administration.configuration.capture.folder, let captures = state.captures else {
            return
                "<p>Unknown: the service captures no evidence. Set <code>capture.folder</code> and <code>capture.key</code>.</p>"
        }
        let lines = captures.recent(at: Date())
        guard let first = lines.first else {
            return "<p>Unknown yet: this process has captured no evidence within a day.</p>\(Self.command(folder))"
        }
        var options = ReplayOptions()
        (options.baseLedger, options.keyStores) = (dependencies.ledger, dependencies.keyStores)
        // The lists of the time. Neither Google nor Apple is asked.
        options.services = [CapturedDocuments(beside: [folder])]
        let end = ContinuousClock.now + Self.replayTime
        options.isInterrupted = { ContinuousClock.now > end }
        let replay = Replay(ReplayPolicies(state.verifier.policy, against: candidate), options)
        let result = await executor.replay {
            var (corpus, summary) = (RecentCorpus(lines), ReplaySummary())
            let statistics = await replay.run(&corpus, render: { $0 }) { records in
                for record in records { summary.add(record) }
                return true
            }
            return (summary, statistics.failure)
        }
        guard let (summary, failure) = result else {
            return "<p class=\"alert\">Another candidate is compared at present. Check this one again.</p>"
        }
        let ending: Markup
        switch failure {
        case nil: ending = ""
        case .cancelled: ending = "<p class=\"alert\">The time of 5 seconds ended before the records did.</p>"
        case .outage(let outage): ending = "<p class=\"alert\" role=\"alert\">\(outage.description)</p>"
        }
        let report = ReplayReport(summary, policy: "the present one", against: "the candidate")
        return """
            \(ending)<p>\(NumberText.count(summary.outcomes.total)) of the last \(NumberText.count(lines.count, "captured record")) of \
            this process, since \(Markup.time(first.at)), judged under both policies as of their time, with the keys of the ledger.</p>
            \(Chart.legend)\(report.cost)\(Self.command(folder))
            """
    }
}
