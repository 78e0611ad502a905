import AssayCore

/// A verdict as text.
struct VerdictTable {
    let terminal: Terminal

    /// Renders a verdict as lines; `expectation` is nil if met.
    func lines(_ verdict: Verdict, id: String, unmet expectation: EvidenceRecord.Expectation?, hints: [String])
        -> [String]
    {
        var lines = [heading(verdict, id: id)]
        lines += rows(verdict.checks)
        if let subject = verdict.engineSubject {
            lines.append("")
            lines += facts(subject.fields)
        }
        lines.append("")
        if let authority = verdict.testAuthority {
            let text = "rests on a test authority, not on the platform's own: \(authority)"
            lines += paragraph(mark(.annotated) + " " + terminal.printable(text), .yellow)
        }
        if verdict.isDurabilityWaived {
            let text = "the ledger may forget this verdict: its URL says durability=waived"
            lines += paragraph(mark(.annotated) + " " + text, .yellow)
        }
        if let expectation {
            let names = expectation.failed.map(\.description).joined(separator: ", ")
            let failed = names.isEmpty ? "" : ", failed: \(names)"
            let text = "the record expects \(expectation.outcome.rawValue)\(failed)"
            lines += paragraph(mark(.annotated) + " " + terminal.printable(text), .yellow)
        }
        lines.append("  judged at \(RFC3339.format(verdict.judgedAt))")
        if let first = verdict.checks.first(where: { $0.status == .failed }) {
            if let remedy = verdict.remedy { lines.append("  remedy for the client: \(remedy.rawValue)") }
            let detail = first.finding?.detail ?? "no detail"
            lines.append(
                "  " + terminal.colour("rejected because: ", .red) + terminal.printable("\(first.check): \(detail)"))
            for hint in hints + ["see `assay explain \(first.check)`"] {
                lines += paragraph("hint: \(terminal.printable(hint))", .faint)
            }
        }
        return lines
    }

    /// Renders a verdict as one line: the heading and the reason for a rejection.
    func line(_ verdict: Verdict, id: String) -> String {
        let heading = heading(verdict, id: id)
        guard let first = verdict.checks.first(where: { $0.status == .failed }) else { return heading }
        let code = first.finding.map { ": \($0.code)" } ?? ""
        let others = verdict.failed.count - 1
        return "\(heading)  \(first.check)\(code)" + (others > 0 ? " and \(others) more" : "")
    }

    private func heading(_ verdict: Verdict, id: String) -> String {
        let outcome =
            switch verdict.outcome {
            case .accept: terminal.colour("ACCEPTED", .green)
            case .reject: terminal.colour("REJECTED", .red)
            }
        let name = terminal.colour(terminal.printable(id), .bold)
        let app = verdict.app.map { "app \(terminal.printable($0))" } ?? "no app"
        return "\(outcome)  \(name)  \(verdict.kind)  \(app)"
    }

    /// A row for each result. Checks skipped because of the same gate share a row.
    private func rows(_ results: [CheckResult]) -> [String] {
        var lines: [String] = []
        var rest = results[...]
        while let result = rest.first {
            let skipped = rest.prefix { $0.status == .skipped && $0.finding == nil && $0.because == result.because }
            if case .check(let gate)? = result.because, skipped.count > 2 {
                let text = "\(mark(.skipped)) skipped   \(skipped.count) checks"
                lines.append("  " + terminal.colour(text, .faint) + terminal.colour("  (because: \(gate))", .faint))
                rest.removeFirst(skipped.count)
            } else {
                lines += row(result)
                rest.removeFirst()
            }
        }
        return lines
    }

    private func row(_ result: CheckResult) -> [String] {
        let status = result.status.rawValue + String(repeating: " ", count: 9 - result.status.rawValue.utf8.count)
        var line =
            "  " + terminal.colour("\(mark(result.status)) \(status)", colour(result.status)) + " \(result.check)"
        if let reason = result.reason { line += terminal.colour("  (because: \(reason))", .faint) }
        guard let finding = result.finding else { return [line] }
        // Print the code, which `assay explain` accepts.
        if result.status == .failed || result.status == .annotated {
            line += terminal.colour("  \(finding.code)", .faint)
        }
        return [line] + terminal.wrapped(terminal.printable(finding.detail), indent: 14)
    }

    private func mark(_ status: CheckResult.Status) -> String {
        switch status {
        case .passed: terminal.isUnicode ? "✓" : "+"
        case .failed: terminal.isUnicode ? "✗" : "x"
        case .annotated: "!"
        case .skipped: "-"
        }
    }

    private func colour(_ status: CheckResult.Status) -> Terminal.Colour {
        switch status {
        case .passed: .green
        case .failed: .red
        case .annotated: .yellow
        case .skipped: .faint
        }
    }

    private func facts(_ fields: [SubjectField]) -> [String] {
        let width = fields.map(\.name.utf8.count).max() ?? 0
        return fields.map { field in
            let value = field.value == .text("") ? "(empty)" : terminal.printable(field.value.text)
            return "  \(field.name)\(String(repeating: " ", count: width - field.name.utf8.count))  \(value)"
        }
    }

    private func paragraph(_ text: String, _ colour: Terminal.Colour) -> [String] {
        terminal.wrapped(text, indent: 2).map { terminal.colour($0, colour) }
    }
}
