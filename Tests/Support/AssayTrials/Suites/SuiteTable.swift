/// The results of all suites: a Markdown table, and the problems in words.
package struct SuiteTable: Sendable {
    /// A suite and its report.
    package struct Row: Sendable {
        /// The suite.
        package let suite: TrialSuite
        /// Its results.
        package let report: SuiteReport
    }

    /// One row for each suite.
    package let rows: [Row]

    /// Runs every suite.
    package init() async throws {
        var rows: [Row] = []
        for suite in TrialSuite.all { rows.append(Row(suite: suite, report: try await suite.run())) }
        self.rows = rows
    }

    /// All problems in words.
    package var problems: [String] { rows.flatMap { row in row.report.problems.map { "\(row.suite.name): \($0)" } } }

    private static let columns = [
        "suite", "source and commit", "licence", "exercises", "cases", "applicable", "accepted rightly",
        "refused rightly", "left open", "wrong acceptances", "wrong refusals", "registered divergences",
        "not applicable",
    ]

    /// The table, the meaning of its columns, and every registered divergence and inapplicable case with its reason.
    package var markdown: String {
        var lines = [
            "# Suites", "",
            "Written by `make suites`; not to be edited. It ends with an error on any wrong acceptance,",
            "any refusal without a registered reason, and any registered reason that nothing needs any more.", "",
            "*Accepted* and *refused rightly*: as the suite says. *Left open*: the suite says that either is right.",
            "*Registered divergences*: refused although the suite accepts, each with a reason below; there is no",
            "register for the opposite. *Not applicable*: not held against the suite, each with a reason below.", "",
            Self.line(Self.columns), Self.line(Self.columns.indices.map { $0 < 4 ? "---" : "--:" }),
        ]
        lines += rows.map { Self.line(Self.cells($0)) }
        lines.append(Self.line(Self.sum(rows)))
        lines += ["", "## Registered divergences", ""]
        for row in rows {
            lines += Self.section(row.suite.name, row.report.divergences.map { ($0.id, $0.reason) })
        }
        lines += ["## Not applicable", ""]
        for row in rows {
            lines += Self.section(row.suite.name, row.report.inapplicable.map { ($0.id, $0.reason) })
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func counts(_ report: SuiteReport) -> [Int] {
        [
            report.cases, report.applicable, report.acceptedRightly, report.refusedRightly, report.open,
            report.wrongAcceptances.count, report.wrongRefusals.count, report.divergences.count,
            report.inapplicable.count,
        ]
    }

    private static func cells(_ row: Row) -> [String] {
        [row.suite.name, row.suite.origin.source, row.suite.origin.licence, row.suite.exercises]
            + counts(row.report).map { "\($0)" }
    }

    private static func sum(_ rows: [Row]) -> [String] {
        let all = rows.map { counts($0.report) }
        let sums = (all.first ?? []).indices.map { column in all.reduce(0) { $0 + $1[column] } }
        return ["**all**", "", "", ""] + sums.map { "**\($0)**" }
    }

    private static func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

    /// Groups cases by reason, in the order of their first occurrence.
    private static func section(_ name: String, _ cases: [(id: String, reason: String)]) -> [String] {
        guard !cases.isEmpty else { return [] }
        var reasons: [String] = []
        for item in cases where !reasons.contains(item.reason) { reasons.append(item.reason) }
        var lines = ["### \(name): \(cases.count)", ""]
        for reason in reasons {
            let ids = cases.filter { $0.reason == reason }.map { "`\($0.id)`" }
            lines.append("- \(reason) (\(ids.count)): \(ids.joined(separator: ", "))")
        }
        return lines + [""]
    }
}
