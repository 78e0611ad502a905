import Assay
import AssayCore
import Foundation

/// Prints and counts verdicts.
struct VerdictReport {
    /// The most errors printed for one file; further ones are only counted.
    static let shownPerFile = 10
    /// The most causes of rejections listed at the end.
    private static let shownCauses = 20

    /// How verdicts are printed.
    enum Form {
        /// Every check on a line of its own.
        case table
        case line
        /// One JSON object per line.
        case json
        /// One JSON object per verdict, kept in ``collected``.
        case collected
        /// Not at all.
        case none
    }

    private let form: Form
    private let isRejectedOnly: Bool
    private let hasMemoryLedger: Bool
    private let table = VerdictTable(terminal: Terminal(STDOUT_FILENO))
    private var isAnyPrinted = false
    private var accepted = 0
    private var rejected = 0
    private var unreadable = 0
    /// The number of verdicts by first failed check and code.
    private var causes: [String: Int] = [:]
    private var unreadableFiles = 0
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
    ///   - isRejectedOnly: whether acceptances are only counted.
    init(_ form: Form, hasMemoryLedger: Bool, isRejectedOnly: Bool = false) {
        (self.form, self.isRejectedOnly, self.hasMemoryLedger) = (form, isRejectedOnly, hasMemoryLedger)
    }

    /// Prints a verdict.
    ///
    /// - Parameters:
    ///   - fallback: names a record without an ID in text.
    ///   - receivedAt: the time of receipt, for evidence judged as of another time.
    ///   - remarks: sentences on why evidence was rejected, such as that it is of another kind.
    mutating func add(
        _ verdict: Verdict, id: String?, fallback: String, expect: EvidenceRecord.Expectation? = nil,
        receivedAt: Date? = nil, remarks: [String] = []
    ) throws(CommandFailure) {
        let unmet = expect.flatMap { $0.isMet(by: verdict) ? nil : $0 }
        if let unmet, form != .table {
            Console.note(
                "\(id ?? fallback): the verdict is \(verdict.outcome.rawValue), the record expects \(unmet.words)")
        }
        if form != .table { for remark in remarks { Console.note("\(id ?? fallback): \(remark)") } }
        if !isRejectedOnly || verdict.outcome == .reject || unmet != nil {
            switch form {
            case .table:
                if isAnyPrinted { try Console.print("") }
                let lines = table.lines(
                    verdict, id: id ?? fallback, unmet: unmet,
                    hints: remarks + hints(verdict, receivedAt: receivedAt))
                try Console.print(lines.joined(separator: "\n"))
            case .line: try Console.print(table.line(verdict, id: id ?? fallback))
            case .json: try Console.print(verdict.json(id: id))
            case .collected: collected.append(verdict.json(id: id))
            case .none: break
            }
            isAnyPrinted = true
        }
        switch verdict.outcome {
        case .accept: accepted += 1
        case .reject:
            rejected += 1
            if let first = verdict.checks.first(where: { $0.status == .failed }) {
                causes["\(first.check)" + (first.finding.map { ": \($0.code)" } ?? ""), default: 0] += 1
            }
            raise(.rejected)
        }
    }

    /// Reports a file that cannot be read or judged.
    mutating func fail(_ message: String) {
        Console.complain("error: \(message)")
        unreadableFiles += 1
        raise(.unreadable)
    }

    /// Reports a record that cannot be judged. After ``shownPerFile`` of them, only counts it.
    mutating func fail(record message: @autoclosure () -> String) {
        unreadableInFile += 1
        unreadable += 1
        if unreadableInFile <= VerdictReport.shownPerFile { Console.complain("error: \(message())") }
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
        let isText = form == .table || form == .line
        let records = accepted + rejected + unreadable
        if isText, isRejectedOnly || records + unreadableFiles > 1 {
            let files = unreadableFiles == 1 ? "1 file" : "\(unreadableFiles) files"
            try Console.print(
                (isAnyPrinted && form == .table ? "\n" : "")
                    + "\(records) records: \(accepted) accepted, \(rejected) rejected, \(unreadable) that could not be judged"
                    + (unreadableFiles == 0 ? "" : "; \(files) that could not be read"))
            try printCauses()
        }
        if status != .success { throw CommandFailure(status) }
    }

    /// Prints how many records each check has rejected, the most frequent cause first.
    private func printCauses() throws(CommandFailure) {
        guard rejected > 1 else { return }
        let sorted = causes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let width = sorted.first.map { "\($0.value)".count } ?? 0
        for (cause, count) in sorted.prefix(Self.shownCauses) {
            let margin = String(repeating: " ", count: width - "\(count)".count)
            try Console.print("  \(margin)\(count)  \(cause)")
        }
        if sorted.count > Self.shownCauses { try Console.print("  and \(sorted.count - Self.shownCauses) more causes") }
    }

    private mutating func raise(_ other: ExitStatus) { status = max(status, other) }

    private func hints(_ verdict: Verdict, receivedAt: Date?) -> [String] {
        let codes = verdict.checks.filter { $0.status == .failed }.compactMap { $0.finding?.code }
        var hints: [String] = []
        if hasMemoryLedger, codes.contains("challenge-unknown") || codes.contains("key-unknown") {
            hints.append(
                "the ledger memory: knows only what this command told it; name the one that does with --ledger")
        }
        if let receivedAt, receivedAt != verdict.judgedAt, codes.contains(where: Self.timeCodes.contains) {
            hints.append("it was received at \(RFC3339.format(receivedAt)); --as-captured judges it as of then")
        }
        return hints
    }

    /// The codes of evidence outside its time window.
    private static let timeCodes: Set<String> = [
        "expired", "not-yet-valid", "too-old", "too-far-ahead", "from-the-future", "receipt-expired", "receipt-too-old",
        "receipt-from-the-future", "key-not-live",
    ]
}

extension Verdict {
    /// Whether the evidence could not be decoded.
    var isUndecodable: Bool { failed.first?.name.hasSuffix(".decode") ?? false }
}
