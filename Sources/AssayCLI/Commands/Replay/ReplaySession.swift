import Assay
import AssayReplay
import Foundation

/// Runs a replay, and writes what comes of it.
struct ReplaySession {
    let replay: Replay
    let output: ReplayOutputOptions
    let isComparison: Bool
    let policyName: String
    let againstName: String

    /// Replays a corpus.
    ///
    /// - Throws: ``CommandFailure`` with the exit status, unless that is 0.
    func run(_ paths: [String]) async throws(CommandFailure) {
        var reader = try open(paths)
        let summaries = output.needsSummary ? SummaryPool() : nil
        let renderer = ReplayRenderer(output, summaries: summaries, terminal: Terminal(STDOUT_FILENO))
        var printer = ReplayPrinter(total: reader.totalBytes)
        let statistics: ReplayStatistics
        do {
            let position = reader
            statistics = try await replay.run(
                &reader, render: { renderer.render($0) },
                consume: { printer.print($0, bytesRead: position.bytesRead) })
        } catch {
            printer.end()
            for note in reader.takeNotes() { Console.note(note) }
            switch error {
            case .outage(let outage): throw CommandFailure(outage)
            case .corpus, .cancelled: throw CommandFailure(.unreadable, error.description)
            }
        }
        printer.end()
        for note in reader.takeNotes() { Console.note(note) }
        if let failure = printer.failure { throw failure }
        if let summaries { try write(summaries.merged, statistics, printer) }
        if printer.status != .success { throw CommandFailure(printer.status) }
    }

    private func open(_ paths: [String]) throws(CommandFailure) -> CorpusReader {
        var options = CorpusOptions()
        options.isNumbered = output.numbered
        if let name = output.name { options.standardInputName = name }
        do {
            return try CorpusReader(paths: paths, options: options)
        } catch {
            throw CommandFailure(.usage, error.message)
        }
    }

    private func write(
        _ merged: ReplaySummary, _ statistics: ReplayStatistics, _ printer: ReplayPrinter
    ) throws(CommandFailure) {
        var summary = merged
        for (text, count) in statistics.presumptions.notes { summary.note(text, count: count) }
        do throws(ReportFile.Failure) {
            if let path = output.summary, path != "-" { try ReportFile.write(summary.json() + "\n", to: path) }
            if let path = output.report {
                let labels = ReplayReport.Labels(policy: policyName, against: againstName)
                try ReportFile.write(ReplayReport(summary, labels: labels).html(), to: path)
            }
        } catch {
            throw CommandFailure(.output, error.description)
        }
        if output.summary == "-" { try Console.print("summary\t\(summary.json())") }
        guard !output.json else { return }
        let terminal = Terminal(STDOUT_FILENO)
        var text = ReplaySummaryText(summary: summary, terminal: terminal)
        text.against = againstName
        try Console.print((text.lines + printer.remarks(terminal)).joined(separator: "\n"))
    }
}

extension ReplayPresumptions {
    /// What there is to say, each with its number in front.
    fileprivate var notes: [(text: String, count: Int)] {
        [
            ("challenges presumed to have been issued", challenges),
            ("counters presumed, of keys that only --ledger has", counters),
            ("attestations presumed to be those that enrolled their keys in --ledger", enrolments),
            ("keys taken from the records that bring them, which nothing shows to be attested", suppliedKeys),
            ("records rejected that came before the attestation of their key in the corpus", beforeEnrolment),
        ]
    }
}
