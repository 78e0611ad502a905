import AssayCore
import CoreMetrics
public import Foundation
import PlayIntegrity
import Synchronization

/// One client's requests for one app on the current day.
///
/// Includes every request to the Play Integrity API, and each retry, as Google counts. Google's limit also covers
/// requests of other processes and the app's token requests, which are not included.
public struct QuotaUsage: Sendable, Equatable {
    /// The package name of the app.
    package let packageName: String
    /// The day in Pacific time, which Google's quotas use: `2026-04-21`.
    package let day: String
    /// When the day ends.
    public let end: Date
    /// Requests to decode a token.
    public let decodes: Int
    /// Requests to write device recall bits.
    public let writes: Int
    /// Requests of both kinds that Google refused with HTTP 429.
    public let refused: Int
    /// The limit set by the caller; nil for none.
    package let limit: Int?
}

/// Counts requests by package and day, and enforces the caller's limit.
final class RequestQuota: Sendable {
    enum Call: Sendable { case decode, write }

    private struct Count {
        var decodes = 0
        var writes = 0
        var refused = 0
    }

    private struct State {
        var dayEnd: Date?
        var counts: [String: Count] = [:]

        /// Resets the counts if the day differs: a later one or, after a clock change, an earlier one.
        mutating func turn(to day: PacificDay) {
            guard dayEnd != day.end else { return }
            dayEnd = day.end
            counts = [:]
        }
    }

    private let limit: Int?
    private let time: ClientTime
    private let state = Mutex(State())
    /// That of the task that made the client: calls may come from tasks without one.
    private let factory = MetricsSystem.factory

    init(limit: Int?, time: ClientTime) {
        self.limit = limit
        self.time = time
    }

    /// Counts a request before it is sent. Throws if the limit is reached.
    func take(_ call: Call, for packageName: String) throws(CallFailure) {
        let day = PacificDay(time.now())
        let isWithinLimit = state.withLock { state in
            state.turn(to: day)
            var count = state.counts[packageName] ?? Count()
            if let limit, count.decodes + count.writes >= limit { return false }
            switch call {
            case .decode: count.decodes += 1
            case .write: count.writes += 1
            }
            state.counts[packageName] = count
            Meter(
                label: MetricName.googleQuota.rawValue, dimensions: [("package", packageName)], factory: factory
            ).set(count.decodes + count.writes)
            return true
        }
        guard isWithinLimit else {
            throw CallFailure(
                .unknown,
                IntegrityDecoderOutage(
                    .quota,
                    "the own limit of \(limit ?? 0) requests a day for \(packageName.excerpt) is reached; the day ends at "
                        + RFC3339.format(day.end), retryAt: day.end))
        }
        Counter(
            label: MetricName.googleRequests.rawValue,
            dimensions: [("package", packageName), ("call", call == .decode ? "decode" : "write")], factory: factory
        ).increment()
    }

    /// Reverts the count of a request that was not sent.
    func giveBack(_ call: Call, for packageName: String) {
        let day = PacificDay(time.now())
        state.withLock { state in
            state.turn(to: day)
            guard var count = state.counts[packageName] else { return }
            switch call {
            case .decode: count.decodes = max(0, count.decodes - 1)
            case .write: count.writes = max(0, count.writes - 1)
            }
            state.counts[packageName] = count
        }
    }

    /// Counts a request that Google refused with HTTP 429.
    func refused(_ packageName: String) {
        let day = PacificDay(time.now())
        state.withLock { state in
            state.turn(to: day)
            state.counts[packageName, default: Count()].refused += 1
        }
        Counter(label: MetricName.googleRefused.rawValue, dimensions: [("package", packageName)], factory: factory)
            .increment()
    }

    /// The counts of an app on the current day.
    func usage(of packageName: String) -> QuotaUsage {
        let day = PacificDay(time.now())
        let count = state.withLock { state in
            state.turn(to: day)
            return state.counts[packageName] ?? Count()
        }
        return QuotaUsage(
            packageName: packageName, day: day.text, end: day.end, decodes: count.decodes, writes: count.writes,
            refused: count.refused, limit: limit)
    }
}

/// The day of Google's quotas, which ends at midnight Pacific time.
struct PacificDay {
    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        // Without a time zone database, use standard time: in summer the day then ends an hour late.
        calendar.timeZone = TimeZone(identifier: "America/Los_Angeles") ?? TimeZone(secondsFromGMT: -8 * 3600) ?? .gmt
        return calendar
    }()

    private let start: Date
    /// When the day ends.
    let end: Date

    init(_ time: Date) {
        start = PacificDay.calendar.startOfDay(for: time)
        end = PacificDay.calendar.date(byAdding: .day, value: 1, to: start) ?? start.addingTimeInterval(86_400)
    }

    /// The day as `2026-04-21`.
    var text: String {
        let offset = Double(PacificDay.calendar.timeZone.secondsFromGMT(for: start))
        return String(RFC3339.format(start.addingTimeInterval(offset)).prefix(10))
    }
}
