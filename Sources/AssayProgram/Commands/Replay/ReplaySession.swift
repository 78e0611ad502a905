import Assay
import AssayReplay
import Foundation
import Synchronization

/// Runs a replay and writes its results.
struct ReplaySession {
    let replay: Replay
    let reading: CorpusOptions
    let output: ReplayOutputOptions
    let policyName: String
    let againstName: String

    /// Replays a corpus. After an interruption, an outage or a failed write, the output covers the records judged
    /// before.
    ///
    /// Throws ``CommandFailure`` if the exit status is not 0.
    func run(_ paths: [String]) async throws(CommandFailure) {
        let reader: CorpusReader
        do {
            reader = try CorpusReader(paths: paths, options: reading)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        if let path = output.report {
            do { try ReportFile.check(path) } catch { throw CommandFailure(.output, error.description) }
        }
        Interruption.arm()
        let renderer = ReplayRenderer(output, terminal: Terminal(STDOUT_FILENO))
        var printer = ReplayPrinter(total: reader.totalBytes, summary: output.needsSummary ? ReplaySummary() : nil)
        var source = reader
        let statistics = await replay.run(
            &source, render: { renderer.render($0) },
            consume: { printer.print($0, bytesRead: reader.bytesRead) })
        printer.end()
        for note in reader.takeNotes() { Console.note(note) }

        var failures = [printer.failure, statistics.failure.map { failure(of: $0) }].compactMap { $0 }
        if let summary = printer.summary {
            let ending = failures.first.map { $0.message ?? "the reader of standard output closed it" }
            failures += write(summary, statistics, ending: ending, isPrinted: printer.failure == nil)
        }
        failures.append(CommandFailure(printer.status))
        failures.sort { $0.status < $1.status }
        for failure in failures.dropLast() {
            if let message = failure.message { Console.complain("error: \(message)") }
        }
        if let greatest = failures.last, greatest.status != .success { throw greatest }
    }

    private func failure(of error: ReplayError) -> CommandFailure {
        switch error {
        case .outage(let outage): CommandFailure(outage)
        case .cancelled: CommandFailure(.interrupted, "interrupted before the end of the corpus")
        }
    }

    /// Writes the report and prints the summary. Returns the failure.
    private func write(
        _ counted: ReplaySummary, _ statistics: ReplayStatistics, ending: String?, isPrinted: Bool
    ) -> [CommandFailure] {
        var summary = counted
        summary.ending = ending
        for (text, count) in statistics.presumptions.notes { summary.note(text, count: count) }
        summary.note(
            "keys kept under --against, which refuses their attestation",
            count: statistics.presumptionsAgainst?.keptKeys ?? 0)
        var failures: [CommandFailure] = []
        if let path = output.report {
            do throws(ReportFile.Failure) {
                var report = ReplayReport(summary, policy: policyName, against: againstName)
                report.catalogue = EngineRegistry.current.catalogue
                try ReportFile.write(report.html(), to: path)
            } catch {
                failures.append(CommandFailure(.output, error.description))
            }
        }
        guard isPrinted, !output.json else { return failures }
        do {
            if output.csv {
                try Console.write(Array(ReplaySummaryCSV(summary: summary).text.utf8))
            } else {
                let text = ReplaySummaryText(summary: summary, terminal: Terminal(STDOUT_FILENO), against: againstName)
                try Console.print(text.lines.joined(separator: "\n"))
            }
        } catch {
            failures.append(error)
        }
        return failures
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

/// Handles SIGINT and SIGTERM during work that can end early with partial results. A second signal ends the program at
/// once.
enum Interruption {
    private static let isRequestedFlag = Atomic(false)

    /// Whether a signal arrived after ``arm()``.
    static var isRequested: Bool { isRequestedFlag.load(ordering: .relaxed) }

    /// Catches the first signal of each kind. Signals that the parent process set to be ignored stay ignored.
    static func arm() {
        // Initialise the flag here, before a signal handler uses it.
        guard !isRequested else { return }
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in
                Interruption.isRequestedFlag.store(true, ordering: .relaxed)
            }
            action.sa_flags = Int32(bitPattern: SA_RESETHAND)
            var old = sigaction()
            guard sigaction(number, nil, &old) == 0 else { continue }
            if let handler = old.__sigaction_handler.sa_handler, isIgnoring(handler) { continue }
            _ = sigaction(number, &action, nil)
        }
    }

    private static func isIgnoring(_ handler: __sighandler_t) -> Bool {
        unsafeBitCast(handler, to: Int.self) == 1
    }
}
