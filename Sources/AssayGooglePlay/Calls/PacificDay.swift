import AssayCore
import Foundation

/// The day after which Google's quotas begin anew: it ends at midnight in California.
struct PacificDay: Hashable, Sendable {
    private static let zone = TimeZone(identifier: "America/Los_Angeles")

    /// The days from 1970-01-01 to the day.
    let number: Int
    /// When the day ends.
    let end: Date

    /// The day at a time.
    init(_ time: Date) {
        let local = time.timeIntervalSince1970 + PacificDay.offset(at: time)
        number = Int((local / 86_400).rounded(.down))
        let midnight = Double(number + 1) * 86_400
        // Clocks are not changed at midnight there, so that the offset an hour before is that at the end.
        let almost = Date(timeIntervalSince1970: midnight - 3600 - PacificDay.offset(at: time))
        end = Date(timeIntervalSince1970: midnight - PacificDay.offset(at: almost))
    }

    /// Seconds east of UTC. On a system without a time zone database it is standard time, and in summer the day ends an
    /// hour late.
    private static func offset(at time: Date) -> Double { Double(zone?.secondsFromGMT(for: time) ?? -8 * 3600) }

    /// The day as `2026-04-21`.
    var text: String { String(RFC3339.format(Date(timeIntervalSince1970: Double(number) * 86_400)).prefix(10)) }
}
