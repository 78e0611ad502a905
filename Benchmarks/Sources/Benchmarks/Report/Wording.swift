import Foundation

/// A number with three significant digits, and none of them after the point from 100 on.
func significant(_ value: Double) -> String {
    String(format: "%.\(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3)f", value)
}

extension Figure {
    /// The ratio with its lowest and highest.
    var ratioText: String {
        if case .notShown = standing, ratio.median == 0 { return "not measured" }
        return "\(significant(ratio.median)) [\(significant(ratio.lowest)), \(significant(ratio.highest))]"
    }

    var targetText: String {
        switch target {
        case .atLeast(let least): "≥ \(short(least))"
        case .atMost(let most): "≤ \(short(most))"
        case .faster: "> 1"
        case .none: ""
        }
    }

    var standingText: String {
        switch standing {
        case .reached: "reached"
        case .missed: "MISSED"
        case .notShown: "NOT SHOWN"
        case .information: ""
        }
    }

    /// What was measured beside the ratio, and why something could not be shown.
    var detailText: String {
        guard case .notShown(let reason) = standing else { return detail }
        return detail.isEmpty ? reason : "\(reason); \(detail)"
    }

    private func short(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(format: "%.2f", value)
    }
}
