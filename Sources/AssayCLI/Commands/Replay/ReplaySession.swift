import Assay
import AssayReplay
import Foundation

/// Runs a replay and writes its results.
struct ReplaySession {
    let replay: Replay
    let reading: CorpusOptions
    let output: ReplayOutputOptions
    let policyName: String
    let againstName: String

    /// Replays a corpus. Throws ``CommandFailure`` if the exit status is not 0.
    func run(_ paths: [String]) async throws(CommandFailure) {
        let reader: CorpusReader
        do {
            reader = try CorpusReader(paths: paths, options: reading)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        let renderer = ReplayRenderer(output, terminal: Terminal(STDOUT_FILENO))
        var printer = ReplayPrinter(total: reader.totalBytes, summary: output.needsSummary ? ReplaySummary() : nil)
        let result: Result<ReplayStatistics, ReplayError>
        do throws(ReplayError) {
            var source = reader
            result = .success(
                try await replay.run(
                    &source, render: { renderer.render($0) },
                    consume: { printer.print($0, bytesRead: reader.bytesRead) }))
        } catch {
            result = .failure(error)
        }
        printer.end()
        for note in reader.takeNotes() { Console.note(note) }
        switch result {
        case .failure(.outage(let outage)): throw CommandFailure(outage)
        case .failure(.cancelled): throw CommandFailure(.unreadable, ReplayError.cancelled.description)
        case .success(let statistics):
            if let failure = printer.failure { throw failure }
            if let summary = printer.summary { try write(summary, statistics) }
        }
        if printer.status != .success { throw CommandFailure(printer.status) }
    }

    private func write(_ counted: ReplaySummary, _ statistics: ReplayStatistics) throws(CommandFailure) {
        var summary = counted
        for (text, count) in statistics.presumptions.notes { summary.note(text, count: count) }
        if let path = output.report {
            do throws(ReportFile.Failure) {
                var report = ReplayReport(summary, policy: policyName, against: againstName)
                report.catalogue = EngineRegistry.current.catalogue
                try ReportFile.write(report.html(), to: path)
            } catch {
                throw CommandFailure(.output, error.description)
            }
        }
        guard !output.json else { return }
        let terminal = Terminal(STDOUT_FILENO)
        let text = ReplaySummaryText(summary: summary, terminal: terminal, against: againstName)
        try Console.print(text.lines.joined(separator: "\n"))
    }
}

extension ReplayPresumptions {
    /// Each count with its description.
    fileprivate var notes: [(text: String, count: Int)] {
        [
            ("challenges presumed to have been issued", challenges),
            ("counters presumed, of keys that only --ledger has", counters),
            ("attestations presumed to be those that enrolled their keys in --ledger", enrolments),
            ("keys taken from their records, without an attestation", suppliedKeys),
            ("records rejected that came before the attestation of their key in the corpus", beforeEnrolment),
        ]
    }
}
