import Foundation

/// The ratios of a report as horizontal bars on a logarithmic scale that grow from 1: to the right where ours gets more
/// done, to the left where it gets less. Readable on light and on dark ground.
///
/// Figures without a target, and those that have to be small, are left to the tables.
struct BarChart {
    let report: Report

    private let width = 1010.0
    /// Where the scale begins, and where it ends before the room for the numbers.
    private let left = 490.0
    private let right = 900.0
    private let row = 22.0
    private let top = 44.0

    private struct Line {
        var heading: String?
        var figure: Figure?
    }

    private var lines: [Line] {
        report.sections.flatMap { section in
            let figures = section.figures.filter { figure in
                switch figure.target {
                case .atLeast, .faster: figure.ratio.median > 0
                case .atMost, .none: false
                }
            }
            return figures.isEmpty ? [] : [Line(heading: section.title)] + figures.map { Line(figure: $0) }
        }
    }

    /// An SVG document that refers to nothing outside of itself.
    var text: String {
        let lines = lines
        let values = lines.compactMap(\.figure?.ratio.median)
        let scale = Scale(lowest: values.min() ?? 1, highest: values.max() ?? 1, left: left, right: right)
        let height = top + row * Double(lines.count) + 14
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" \
            width="\(Int(width))" height="\(Int(height))" role="img" aria-label="Ratios of rates as bars">
            <style>
            text { font: 12px system-ui, sans-serif; fill: #24292f }
            .soft, .tick { fill: #656d76 }
            .heading { font-weight: 600 }
            .tick, .value { font-size: 11px }
            .grid { stroke: #d0d7de } .one { stroke: #656d76 } .target { stroke: #24292f; stroke-width: 2 }
            .bar { fill: #3b82d6 } .missed { fill: #d1570f }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 } .soft, .tick { fill: #9198a1 }
            .grid { stroke: #30363d } .one { stroke: #9198a1 } .target { stroke: #e6edf3 }
            .bar { fill: #4f94e4 } .missed { fill: #e8762d }
            }
            </style>
            <text class="soft" x="8" y="16">How many times as much ours gets done; a thick mark is the target, missed in orange</text>
            """
        ]
        for value in scale.marks {
            let x = number(scale.place(value))
            parts.append(
                """
                <line class="\(value == 1 ? "one" : "grid")" x1="\(x)" x2="\(x)" y1="\(number(top - 8))" \
                y2="\(number(height - 8))"/>
                <text class="tick" x="\(x)" y="\(number(top - 14))" text-anchor="middle">\(mark(value))</text>
                """)
        }
        for (index, line) in lines.enumerated() {
            parts.append(drawing(line, at: top + row * Double(index), scale))
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func drawing(_ line: Line, at y: Double, _ scale: Scale) -> String {
        let base = number(y + 15)
        guard let figure = line.figure else {
            return "<text class=\"heading\" x=\"8\" y=\"\(base)\">\(escaped(line.heading ?? ""))</text>"
        }
        let (one, end) = (scale.place(1), scale.place(figure.ratio.median))
        var parts = [
            """
            <text x="20" y="\(base)">\(escaped(figure.subject)) \
            <tspan class="soft">/ \(escaped(figure.baseline))</tspan></text>
            <rect class="\(figure.isReached ? "bar" : "missed")" x="\(number(min(one, end)))" y="\(number(y + 4))" \
            width="\(number(max(abs(end - one), 1)))" height="14" rx="2"/>
            """
        ]
        if case .atLeast(let target) = figure.target {
            let x = number(scale.place(target))
            parts.append(
                "<line class=\"target\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(number(y + 2))\" y2=\"\(number(y + 20))\"/>")
        }
        parts.append(
            "<text class=\"value\" x=\"\(number(right + 10))\" y=\"\(base)\">\(significant(figure.ratio.median))</text>"
        )
        return parts.joined(separator: "\n")
    }

    private func number(_ value: Double) -> String { String(format: "%.1f", value) }

    private func mark(_ value: Double) -> String { value < 1 ? String(value) : String(Int(value)) }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

/// Where a ratio stands on a logarithmic scale.
private struct Scale {
    let marks: [Double]
    private let left: Double
    private let right: Double

    /// - Parameters:
    ///   - left: where the first mark stands.
    ///   - right: where the last one stands.
    init(lowest: Double, highest: Double, left: Double, right: Double) {
        let all = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        let first = all.lastIndex { $0 <= min(lowest, 0.5) } ?? 0
        let last = all.firstIndex { $0 >= max(highest, 2) } ?? all.count - 1
        marks = Array(all[first...last])
        self.left = left
        self.right = right
    }

    func place(_ value: Double) -> Double {
        let (low, high) = (log(marks.first ?? 0.5), log(marks.last ?? 2))
        return left + (right - left) * (min(max(log(value), low), high) - low) / (high - low)
    }
}
