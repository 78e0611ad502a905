import AssayCore
import AssayReplay

/// An error message about a record without a verdict.
struct ReplayErrorText: Sendable {
    /// Record and reason.
    let text: String
    /// The reason if the policy is unreadable, which affects all its records; otherwise nil.
    let policyReason: String?
}

/// What to print for consecutive records of one file.
struct ReplayBatchOutput: Sendable {
    /// The records; empty if no summary is needed.
    var records: [ReplayedRecord] = []
    /// Bytes for standard output.
    var bytes: [UInt8] = []
    /// Error messages, at most ``VerdictReport/shownPerFile``.
    var errors: [ReplayErrorText] = []
    /// Unexpected verdicts, at most ``VerdictReport/shownPerFile``.
    var mismatches: [String] = []
    var file = ""
    var accepted = 0
    var rejected = 0
    var failed = 0
    /// Records without a verdict under either policy.
    var unjudged = 0
    /// Records that do not meet their expectation, including those without a verdict.
    var mismatched = 0
    /// Records with a verdict other than the expected one.
    var misjudged = 0
}

/// Renders records as text or JSON, on worker threads.
struct ReplayRenderer: Sendable {
    private let isJSON: Bool
    private let showsRejected: Bool
    private let showsChanged: Bool
    private let needsSummary: Bool
    private let terminal: Terminal

    init(_ options: ReplayOutputOptions, terminal: Terminal) {
        isJSON = options.json
        showsRejected = options.rejected
        showsChanged = options.changed
        needsSummary = options.needsSummary
        self.terminal = terminal
    }

    func render(_ records: [ReplayedRecord]) -> ReplayBatchOutput {
        var output = ReplayBatchOutput()
        output.file = records.first?.place.file.name ?? ""
        if needsSummary { output.records = records }
        // By index: iterating over values retains every object they reference.
        for index in records.indices { count(records[index], in: &output) }
        if isJSON {
            var lines = ReplayLines(expecting: records.count)
            for index in records.indices {
                if showsChanged { lines.addChange(records[index]) } else { lines.add(records[index]) }
            }
            output.bytes = lines.bytes
        } else if showsRejected || showsChanged {
            var text = ""
            for index in records.indices { describe(records[index], in: &text) }
            output.bytes = Array(text.utf8)
        }
        return output
    }

    private func count(_ record: ReplayedRecord, in output: inout ReplayBatchOutput) {
        switch record.judgement.outcome {
        case .accepted: output.accepted += 1
        case .rejected: output.rejected += 1
        case .failed: output.failed += 1
        }
        if let failure = record.failure {
            output.unjudged += 1
            if output.errors.count < VerdictReport.shownPerFile { output.errors.append(error(failure, record)) }
        }
        guard record.isMismatch else { return }
        output.mismatched += 1
        guard let verdict = record.judgement.verdict else { return }
        output.misjudged += 1
        if output.mismatches.count < VerdictReport.shownPerFile { output.mismatches.append(mismatch(verdict, record)) }
    }

    private func name(_ record: ReplayedRecord) -> String {
        record.place.description + (record.id.map { " (\($0.excerpt))" } ?? "")
    }

    private func error(_ failure: ReplayFailure, _ record: ReplayedRecord) -> ReplayErrorText {
        let side = record.judgement.outcome == .failed ? "" : ", under --against"
        let expected = record.isMismatch ? "; the record expects \(expected(by: record))" : ""
        return ReplayErrorText(
            text: "\(name(record))\(side): \(failure.message) (\(failure.code))\(expected)",
            policyReason: failure.code == "policy-unreadable" ? failure.message : nil)
    }

    private func mismatch(_ verdict: Verdict, _ record: ReplayedRecord) -> String {
        let detail = record.judgement.detail.map { ": \($0)" } ?? ""
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
        guard showsChanged, let against = record.against, let cause = record.cause else { return }
        let root = cause.root.place.description + (cause.root.id.map { " (\($0.excerpt))" } ?? "")
        let because = cause.isConsequence ? ", because \(root) fails \(cause.root.check)" : ""
        let sides = "\(terminal.printable(name(record))): \(record.judgement.words), then \(against.words)\(because)"
        text += terminal.wrapped(terminal.printable(sides), indent: 0).joined(separator: "\n") + "\n"
    }
}

extension ReplayedRecord.Judgement {
    /// The outcome, followed by the reason if the record is not accepted.
    fileprivate var words: String {
        switch outcome {
        case .accepted: "accepted"
        case .failed: "not judged (\(detail ?? ""))"
        case .rejected: "rejected (\(firstFailed?.check.name ?? ""): \(detail ?? "no detail"))"
        }
    }
}
