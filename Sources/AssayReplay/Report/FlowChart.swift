/// The outcomes of two policies at left and right, with a ribbon for each combination.
struct FlowChart {
    /// The height of all records in pixels.
    private static let total = 200
    /// The minimum height of an outcome with its label, in pixels.
    private static let least = 44

    /// An outcome on one side.
    private struct Node {
        let outcome: ReplayOutcome
        let count: Int
        let top: Int
        let height: Int
        /// The y position of the next ribbon.
        var next: Int
    }

    let flows: [(flow: ReplayFlow, count: Int)]
    let policy: String
    let against: String

    private func count(_ from: ReplayOutcome, _ to: ReplayOutcome) -> Int {
        flows.reduce(0) { $0 + ($1.flow.from.outcome == from && $1.flow.to.outcome == to ? $1.count : 0) }
    }

    private var all: Int { flows.reduce(0) { $0 + $1.count } }

    private func height(_ count: Int) -> Int {
        count == 0 ? 0 : max(2, Int((Double(count) / Double(max(1, all)) * Double(FlowChart.total)).rounded()))
    }

    private func nodes(_ count: (ReplayOutcome, ReplayOutcome) -> Int) -> [Node] {
        var top = 26
        return ReplayOutcome.allCases.compactMap { outcome in
            let parts = ReplayOutcome.allCases.map { count(outcome, $0) }
            let sum = parts.reduce(0, +)
            guard sum > 0 else { return nil }
            // Sum the ribbons' heights: each is at least 2 pixels.
            let height = parts.reduce(0) { $0 + self.height($1) }
            defer { top += max(height, FlowChart.least) + 12 }
            let begin = top + max(0, (FlowChart.least - height) / 2)
            return Node(outcome: outcome, count: sum, top: begin, height: height, next: begin)
        }
    }

    var chart: Chart {
        var left = nodes { count($0, $1) }
        var right = nodes { count($1, $0) }
        let bottom = (left + right).map { $0.top + max($0.height, FlowChart.least) }.max() ?? 0
        var ribbons = Markup.nothing
        var rows: [[String]] = []
        for from in left.indices {
            for to in right.indices {
                let (source, target) = (left[from].outcome, right[to].outcome)
                let number = count(source, target)
                guard number > 0 else { continue }
                let height = height(number)
                let (y1, y2) = (left[from].next, right[to].next)
                left[from].next += height
                right[to].next += height
                let style =
                    if source == target { "same" } else if target == .accepted { "gained" } else { "lost" }
                ribbons += """
                    <path class="ribbon \(style)" d="M0 \(y1)C50 \(y1) 50 \(y2) 100 \(y2)V\(y2 + height)\
                    C50 \(y2 + height) 50 \(y1 + height) 0 \(y1 + height)Z"><title>\(NumberText.count(number)): \
                    \(source.word), then \(target.word)</title></path>
                    """
                rows.append([source.word, target.word, NumberText.count(number), NumberText.percent(number, of: all)])
            }
        }
        // The ribbons scale with the width; the labels do not.
        let drawing: Markup = """
            <svg x="30%" y="0" width="40%" height="\(bottom)" viewBox="0 0 100 \(bottom)" preserveAspectRatio="none">\
            \(ribbons)</svg>\
            <text class="note" x="30%" y="14" text-anchor="end">\(policy.cut)</text>\
            <text class="note" x="70%" y="14">\(against.cut)</text>\
            \(left.map { label($0, isLeft: true) })\(right.map { label($0, isLeft: false) })
            """
        let changes = rows.filter { $0[0] != $0[1] }.map {
            "\($0[2]) \($0[2] == "1" ? "goes" : "go") from \($0[0]) to \($0[1])"
        }
        return Chart(
            id: "flow", title: "From \(policy) to \(against)",
            description: changes.isEmpty ? "No record has another outcome." : changes.joined(separator: ", ") + ".",
            height: bottom + 4, drawing: drawing,
            table: DataTable(columns: ["Under \(policy)", "Under \(against)", "Records", "Share"], rows: rows))
    }

    private func label(_ node: Node, isLeft: Bool) -> Markup {
        let y = node.top + node.height / 2
        let anchor: Markup = isLeft ? "x=\"28%\" text-anchor=\"end\"" : "x=\"72%\""
        return """
            <rect class="\(node.outcome.rawValue)" x="\(isLeft ? "29%" : "70%")" y="\(node.top)" width="1%" \
            height="\(node.height)"/><text \(anchor) y="\(y - 2)">\(node.outcome.word)</text>\
            <text class="note" \(anchor) y="\(y + 14)">\(NumberText.count(node.count))</text>
            """
    }
}

extension String {
    /// The end of a name, as far as it fits: policy names often begin alike.
    fileprivate var cut: String { unicodeScalars.count > 18 ? "…" + String(suffix(17)) : self }
}
