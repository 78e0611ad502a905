import AppAttest
package import Foundation

/// When receipts are exchanged. Random numbers spread the requests over the day.
package struct ReceiptPlan: Sendable {
    private static let hour = 3600.0
    private static let day = 86_400.0
    /// How long before field 21 a receipt is exchanged at the latest, in seconds.
    private static let reserve = 5 * day

    /// The average time between two exchanges of a key, in seconds.
    package let interval: Double

    /// - Parameter interval: in seconds, at least a day: Apple exchanges no receipt earlier.
    package init(interval: Double) { self.interval = max(Self.day, interval) }

    /// The first exchange of the receipt of an attestation, which has no field 19: after 10 to 70 minutes.
    package func first(after now: Date, random: Double) -> Date { now + 600 + random * Self.hour }

    /// The next exchange after a success: not before field 19, some days before field 21, and on average after the interval, spread
    /// over at least a day.
    package func next(after receipt: RefreshableReceipt, at now: Date, random: Double) -> Date {
        let earliest = max(receipt.notBefore ?? receipt.createdAt + Self.day, now)
        let spread = max(Self.day, interval / 2)
        let planned = max(earliest, receipt.createdAt + interval - spread / 2) + random * spread
        let latest = max(earliest + random * Self.hour, receipt.expiresAt - Self.reserve - random * Self.day)
        return min(planned, latest)
    }

    /// The next exchange after `failures` attempts in a row without a new receipt.
    package func retry(after outcome: ReceiptOutcome, failures: Int, at now: Date, random: Double) -> Date {
        let (base, longest): (Double, Double) =
            switch outcome {
            case .notYet: (Self.hour, Self.day)
            case .noData: (6 * Self.hour, Self.day)
            case .outage: (60, Self.hour)
            default: (Self.hour, Self.day)
            }
        // Half of the wait is fixed, so that a failure is never repeated at once.
        let wait = min(longest, base * Double(1 << min(max(0, failures - 1), 12)))
        return now + wait * (0.5 + random / 2)
    }
}
