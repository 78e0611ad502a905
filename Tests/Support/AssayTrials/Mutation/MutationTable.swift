/// The results of a mutation run as a Markdown table.
package struct MutationTable: Sendable {
    private let title: String
    private let outcome: MutationRun.Outcome

    /// - Parameter title: describes the mutations.
    package init(_ title: String, _ outcome: MutationRun.Outcome) {
        self.title = title
        self.outcome = outcome
    }

    /// Three tables: results by kind, rejections by check, and permitted acceptances by rule.
    package var markdown: String {
        let kinds = outcome.kinds.sorted { $0.key < $1.key }
        var lines = [
            "## \(title)", "",
            "| kind | vectors | fields | changes | refused by a check | unreadable | nobody to ask | accepted by a rule "
                + "| wrong acceptances |",
            "| --- |" + String(repeating: " --: |", count: 8),
        ]
        for (kind, tally) in kinds { lines.append(row(kind, outcome.vectors[kind] ?? 0, tally)) }
        lines.append(row("**all**", outcome.vectors.values.reduce(0, +), outcome.total))
        lines += ["", "Refused by:", ""]
        for (kind, tally) in kinds {
            let checks = tally.refusedBy.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            lines.append("- \(kind): " + checks.map { "`\($0.key)` \($0.value)" }.joined(separator: ", "))
        }
        let rules = DontCare.all.filter { rule in kinds.contains { $0.value.dontCares[rule.name] != nil } }
        guard !rules.isEmpty else { return lines.joined(separator: "\n") + "\n" }
        lines += ["", "Accepted by a rule:", ""]
        for rule in rules {
            let counts = kinds.compactMap { kind, tally in tally.dontCares[rule.name].map { "\(kind) \($0)" } }
            lines.append("- `\(rule.name)`, \(counts.joined(separator: ", ")): \(rule.reason).")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ name: String, _ vectors: Int, _ tally: MutationTally) -> String {
        let counts = [
            vectors, tally.fields, tally.mutants, tally.refused, tally.unreadable, tally.unasked,
            tally.dontCares.values.reduce(0, +), tally.wrongAcceptances,
        ]
        return "| \(name) | " + counts.map { "\($0)" }.joined(separator: " | ") + " |"
    }
}
