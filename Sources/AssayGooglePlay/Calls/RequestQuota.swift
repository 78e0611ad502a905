import AssayCore
public import FoundationEssentials
import PlayIntegrity
import Synchronization

/// What an app has used of its day's requests, as counted by one client.
///
/// Every request that is sent to the Play Integrity API counts, tried again or not, since Google counts them too. Other
/// processes and requests for tokens, which count against the same limit, are not seen.
public struct QuotaUsage: Sendable, Equatable {
    /// The package name of the app.
    public let packageName: String
    /// The day in California, where Google's day ends: `2026-04-21`.
    public let day: String
    /// When the day ends.
    public let end: Date
    /// How many requests to decode a token were sent.
    public let decodes: Int
    /// How many requests to write device recall bits were sent.
    public let writes: Int
    /// How many of all these Google refused for want of quota: HTTP 429.
    public let refused: Int
    /// The limit of the caller's own for a day, and nil for none.
    public let limit: Int?
}

/// Counts requests by package and day, and refuses those beyond the caller's limit.
final class RequestQuota: Sendable {
    /// The calls that are counted.
    enum Call: Sendable { case decode, write }

    private struct Count {
        var decodes = 0
        var writes = 0
        var refused = 0
    }

    private struct State {
        var day: PacificDay?
        var counts: [String: Count] = [:]

        /// Forgets the counts of another day. Clocks may be set back, too.
        mutating func turn(to day: PacificDay) {
            guard self.day?.number != day.number else { return }
            self.day = day
            counts = [:]
        }
    }

    private let limit: Int?
    private let time: ClientTime
    private let state = Mutex(State())

    init(limit: Int?, time: ClientTime) {
        self.limit = limit
        self.time = time
    }

    /// Counts a request that is about to be sent, or refuses it.
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
            return true
        }
        guard isWithinLimit else {
            throw CallFailure(
                .nobody,
                IntegrityDecoderOutage(
                    .quota,
                    "the own limit of \(limit ?? 0) requests a day for \(packageName.excerpt) is reached; the day ends at "
                        + RFC3339.format(day.end), retryAt: day.end))
        }
    }

    /// Takes back the count of a request that was not sent after all.
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

    /// Counts that Google refused a request for want of quota.
    func refused(_ packageName: String) {
        let day = PacificDay(time.now())
        state.withLock { state in
            state.turn(to: day)
            state.counts[packageName, default: Count()].refused += 1
        }
    }

    /// What an app has used of the present day.
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
