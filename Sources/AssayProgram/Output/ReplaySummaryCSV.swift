import AssayReplay

/// The tables of a replay's summary as CSV (RFC 4180, lines that end with a line feed).
///
/// A row has the name of its table, a value, and numbers of records. Only the tables of outcomes fill every column.
struct ReplaySummaryCSV {
    private static let header = [
        "table", "value", "records", "accepted", "rejected", "not judged", "no longer accepted", "newly accepted",
    ]

    let summary: ReplaySummary

    /// The header and the rows.
    var text: String {
        ([Self.header] + rows).map { $0.map(Self.cell).joined(separator: ",") + "\n" }.joined()
    }

    private var rows: [[String]] {
        var rows: [[String]] = []
        if let ending = summary.ending { rows.append(["incomplete", ending]) }
        rows.append(Self.row("all", "", summary.outcomes))
        if let against = summary.outcomesAgainst { rows.append(Self.row("all under --against", "", against)) }
        let checks = summary.checkTallies
        rows += checks.map { Self.row("first failed check", $0.check, $0.tally.first) }
        rows += checks.map { Self.row("failed check", $0.check, $0.tally.failed) }
        rows += checks.map { Self.row("annotated check", $0.check, $0.tally.annotated) }
        rows += summary.failureCounts.map { Self.row("not judged", $0.code, $0.count) }
        rows += summary.flowCounts.map { flow, count in
            Self.row("decisions under both policies", "\(Self.words(flow.from)) then \(Self.words(flow.to))", count)
        }
        rows += summary.changes.causes.flatMap(Self.rows)
        for breakdown in summary.breakdowns {
            rows += breakdown.values.map { Self.row(breakdown.name, $0.value, $0.tally) }
            if breakdown.others.total > 0 { rows.append(Self.row("\(breakdown.name), others", "", breakdown.others)) }
        }
        rows += summary.notes.map { Self.row("note", $0.text, $0.count) }
        return rows.filter { $0.count < 3 || $0[2] != "0" || $0[0] == "all" }.map { row in
            row + [String](repeating: "", count: Self.header.count - row.count)
        }
    }

    private static func row(_ table: String, _ value: String, _ count: Int) -> [String] { [table, value, "\(count)"] }

    private static func row(_ table: String, _ value: String, _ tally: OutcomeTally) -> [String] {
        let counts = [tally.total, tally.accepted, tally.rejected, tally.failed, tally.lost, tally.gained]
        return [table, value] + counts.map { "\($0)" }
    }

    /// The counts of a cause, each in its own table.
    private static func rows(_ cause: ReplayChanges.Cause) -> [[String]] {
        let table = "\(cause.isLoss ? "no longer" : "newly") accepted"
        let tally = cause.tally
        return [
            row("\(table) by cause", cause.check, tally.records),
            row("\(table) as a consequence by cause", cause.check, tally.consequences),
            row("devices \(table) by cause", cause.check, tally.devices),
            row("accounts \(table) by cause", cause.check, tally.accounts),
        ]
    }

    private static func words(_ end: FlowEnd) -> String {
        end.reason.isEmpty ? end.outcome.word : "\(end.outcome.word) (\(end.reason))"
    }

    /// Quotes a cell if necessary. Evidence determines some values, and a spreadsheet would evaluate one that looks
    /// like a formula: a leading apostrophe prevents that.
    private static func cell(_ text: String) -> String {
        // Compare scalars: a combining mark after the sign would change the character.
        let isFormula = text.unicodeScalars.first.map { "=+-@\t\r＝＋－＠".unicodeScalars.contains($0) } ?? false
        let text = isFormula ? "'\(text)" : text
        guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }
}
