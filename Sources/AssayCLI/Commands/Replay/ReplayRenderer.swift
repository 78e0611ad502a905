import Assay
import AssayCore
import AssayReplay

/// A record that could not be judged, in words.
struct ReplayComplaint: Sendable {
    /// Which record, and why.
    let text: String
    /// What says of every record under one policy why it is not judged; nil when the reason is one of this record.
    let policyReason: String?
}

/// What is printed of some consecutive records of one file.
struct ReplayBatchOutput: Sendable {
    /// For standard output.
    var bytes: [UInt8] = []
    /// Records that could not be judged; at most as many as are told of one file.
    var complaints: [ReplayComplaint] = []
    /// Verdicts that records do not expect, in words; at most as many as are told of one file.
    var mismatches: [String] = []
    /// The names of the records.
    var ids: [String] = []
    var file = ""
    var accepted = 0
    var rejected = 0
    var failed = 0
    /// Those that failed under either policy.
    var unjudged = 0
    /// Verdicts, and records without one, that records do not expect.
    var mismatched = 0
    /// Verdicts that records do not expect.
    var misjudged = 0
}

/// Turns records into text or JSON, on whichever thread has time.
struct ReplayRenderer: Sendable {
    private let isJSON: Bool
    private let isNumbered: Bool
    private let showsRejected: Bool
    private let showsChanged: Bool
    private let summaries: SummaryPool?
    private let terminal: Terminal

    init(_ options: ReplayOutputOptions, summaries: SummaryPool?, terminal: Terminal) {
        isJSON = options.json
        isNumbered = options.numbered
        showsRejected = options.rejected
        showsChanged = options.changed
        self.summaries = summaries
        self.terminal = terminal
    }

    /// Renders records.
    func render(_ records: [ReplayedRecord]) -> ReplayBatchOutput {
        var output = ReplayBatchOutput()
        output.file = records.first?.place.file.name ?? ""
        if !isJSON, !isNumbered { output.ids = records.compactMap(\.id) }
        // By index, since a loop over values copies each of them with all that it refers to.
        for index in records.indices { count(records[index], in: &output) }
        summaries?.add(records)
        if isJSON {
            var lines = ReplayLines(isNumbered: isNumbered, expecting: records.count)
            for index in records.indices { lines.add(records[index]) }
            output.bytes = lines.bytes
        } else if showsRejected || showsChanged {
            var text = ""
            for index in records.indices { describe(records[index], in: &text) }
            output.bytes = Array(text.utf8)
        }
        return output
    }

    private func count(_ record: ReplayedRecord, in output: inout ReplayBatchOutput) {
        switch record.judgement {
        case .verdict(let verdict):
            if verdict.outcome == .accept { output.accepted += 1 } else { output.rejected += 1 }
        case .failure: output.failed += 1
        }
        if let failure = record.failure {
            output.unjudged += 1
            if output.complaints.count < VerdictReport.toldPerFile {
                output.complaints.append(complaint(failure, record))
            }
        }
        guard record.isMismatch else { return }
        output.mismatched += 1
        guard case .verdict(let verdict) = record.judgement else { return }
        output.misjudged += 1
        if output.mismatches.count < VerdictReport.toldPerFile { output.mismatches.append(mismatch(verdict, record)) }
    }

    private func name(_ record: ReplayedRecord) -> String {
        record.place.description + (record.id.map { " (\($0.excerpt))" } ?? "")
    }

    private func complaint(_ failure: ReplayFailure, _ record: ReplayedRecord) -> ReplayComplaint {
        let side = record.judgement.isFailure ? "" : ", under --against"
        let expected = record.isMismatch ? "; the record expects \(expected(by: record))" : ""
        return ReplayComplaint(
            text: "\(name(record))\(side): \(failure.message) (\(failure.code))\(expected)",
            policyReason: failure.code == "policy-unreadable" ? failure.message : nil)
    }

    private func mismatch(_ verdict: Verdict, _ record: ReplayedRecord) -> String {
        let detail = verdict.checks.first { $0.status == .failed }?.finding.map { ": \($0.detail)" } ?? ""
        let found = ([verdict.outcome.rawValue] + verdict.failed.map(\.name)).joined(separator: " ") + detail
        return "\(name(record)): the verdict is \(found); the record expects \(expected(by: record))"
    }

    private func expected(by record: ReplayedRecord) -> String {
        record.expect?.words ?? ""
    }

    private func describe(_ record: ReplayedRecord, in text: inout String) {
        let table = VerdictTable(terminal: terminal)
        if showsRejected, case .verdict(let verdict) = record.judgement, verdict.outcome == .reject {
            let unmet = record.expect.flatMap { $0.isMet(by: verdict) ? nil : $0 }
            let lines = table.lines(verdict, id: name(record), unmet: unmet, hints: [])
            text += lines.joined(separator: "\n") + "\n\n"
        }
        if showsChanged, let against = record.against, record.judgement.isAccepted != against.isAccepted {
            let sides = "\(terminal.printable(name(record))): \(record.judgement.words), then \(against.words)"
            text += terminal.wrapped(terminal.printable(sides), indent: 0).joined(separator: "\n") + "\n"
        }
    }
}

extension ReplayedRecord.Judgement {
    fileprivate var isFailure: Bool {
        switch self {
        case .failure: true
        case .verdict: false
        }
    }

    fileprivate var isAccepted: Bool {
        switch self {
        case .failure: false
        case .verdict(let verdict): verdict.outcome == .accept
        }
    }

    /// The outcome, with the reason of one that is not an acceptance.
    fileprivate var words: String {
        switch self {
        case .failure(let failure): return "not judged (\(failure.message))"
        case .verdict(let verdict):
            guard let first = verdict.checks.first(where: { $0.status == .failed }) else { return "accepted" }
            return "rejected (\(first.check): \(first.finding?.detail ?? "no detail"))"
        }
    }
}
