import Assay
import AssayCore
import Foundation

/// Prints and counts verdicts.
struct VerdictReport {
    /// The most errors printed for one file; further ones are only counted.
    static let shownPerFile = 100

    private let isJSON: Bool
    private let isCollecting: Bool
    private let hasMemoryLedger: Bool
    private let table = VerdictTable(terminal: Terminal(STDOUT_FILENO))
    private var accepted = 0
    private var rejected = 0
    private var unreadable = 0
    private var unreadableInFile = 0
    /// The worst status so far.
    private(set) var status = ExitStatus.success
    /// The verdicts as JSON if collected instead of printed.
    private(set) var collected: [String] = []
    /// The number of verdicts so far.
    var count: Int { accepted + rejected }

    /// Starts a report.
    ///
    /// - Parameters:
    ///   - hasMemoryLedger: whether the ledger started empty with this command.
    ///   - isCollecting: whether to store JSON in ``collected`` instead of printing it.
    init(isJSON: Bool, hasMemoryLedger: Bool, isCollecting: Bool = false) {
        self.isJSON = isJSON
        self.isCollecting = isCollecting
        self.hasMemoryLedger = hasMemoryLedger
    }

    /// Prints a verdict; `fallback` names a record without an ID in text output.
    mutating func add(
        _ verdict: Verdict, id: String?, fallback: String, expect: EvidenceRecord.Expectation? = nil
    ) throws(CommandFailure) {
        let unmet = expect.flatMap { $0.isMet(by: verdict) ? nil : $0 }
        if isJSON {
            if let unmet {
                Console.note(
                    "\(id ?? fallback): the verdict is \(verdict.outcome.rawValue), the record expects \(unmet.words)")
            }
            if isCollecting {
                collected.append(verdict.json(id: id))
            } else {
                try Console.print(verdict.json(id: id))
            }
        } else {
            if accepted + rejected > 0 { try Console.print("") }
            let lines = table.lines(verdict, id: id ?? fallback, unmet: unmet, hints: hints(verdict))
            try Console.print(lines.joined(separator: "\n"))
        }
        switch verdict.outcome {
        case .accept: accepted += 1
        case .reject:
            rejected += 1
            raise(.rejected)
        }
    }

    /// Reports a file or blob that cannot be judged.
    mutating func fail(_ message: String) {
        Console.complain("error: \(message)")
        unreadable += 1
        raise(.unreadable)
    }

    /// Reports a record that cannot be judged. After ``shownPerFile`` of them, only counts it.
    mutating func fail(record message: @autoclosure () -> String) {
        unreadableInFile += 1
        guard unreadableInFile > VerdictReport.shownPerFile else { return fail(message()) }
        unreadable += 1
        raise(.unreadable)
    }

    /// Ends a file, and prints the number of errors that were only counted.
    mutating func endFile(_ name: String) {
        let more = unreadableInFile - VerdictReport.shownPerFile
        if more > 0 { Console.complain("error: \(name): \(more) more records that could not be judged") }
        unreadableInFile = 0
    }

    /// Reports an outage of the ledger, the key store or a service.
    mutating func fail(_ outage: any Outage) {
        Console.complain("error: \(outage)")
        raise(.outage)
    }

    /// Ends the report. Prints the counts if there is more than one record.
    func finish() throws(CommandFailure) {
        if !isJSON, accepted + rejected + unreadable > 1 {
            try Console.print(
                "\n\(accepted + rejected + unreadable) records: \(accepted) accepted, \(rejected) rejected, "
                    + "\(unreadable) that could not be judged")
        }
        if status != .success { throw CommandFailure(status) }
    }

    private mutating func raise(_ other: ExitStatus) { status = max(status, other) }

    private func hints(_ verdict: Verdict) -> [String] {
        let codes = verdict.checks.filter { $0.status == .failed }.compactMap { $0.finding?.code }
        guard hasMemoryLedger, codes.contains("challenge-unknown") || codes.contains("key-unknown") else {
            return []
        }
        return ["the ledger memory: knows only what this command told it; name the one that does with --ledger"]
    }
}
