package import AssayCore
import AssayHTTP
package import FoundationEssentials
import Synchronization

/// The last rejections of this process, all of them, and a sample of its acceptances, in memory. A restart loses them.
///
/// An acceptance that is not sampled costs one atomic counter, a rejection a short lock. Acceptances never displace rejections, and what
/// nothing vouches for, such as a flood of forgeries, displaces neither rejections of authentic evidence nor outages.
package final class RecentVerdicts: Sendable {
    /// How many are kept.
    package struct Settings: Sendable, Equatable {
        /// The most rejections of authentic evidence, with outages; and the most others, with malformed records. 0 keeps nothing, no
        /// acceptances either.
        package var rejections = 1000
        /// The most acceptances.
        package var acceptances = 100
        /// One in how many acceptances is kept.
        package var sampling = 100

        package init() {}
    }

    /// What a ring has.
    package struct Kept: Sendable {
        /// How many verdicts.
        package let count: Int
        /// The memory that they take, about, in bytes.
        package let size: Int
        /// When the first of them was recorded; nil without any.
        package let oldest: Date?
    }

    /// The memory that rejections and acceptances may take, about, in bytes.
    package static let (rejectionsLimit, acceptancesLimit) = (16 << 20, 2 << 20)

    private struct Rings {
        /// `proven` is of authentic evidence, and of outages.
        var proven, rejected, accepted: RecentRing
        var last = 0
    }

    /// How many are kept.
    package let settings: Settings
    /// When the service started. Nothing before it is known.
    package let startedAt: Date
    private let rings: Mutex<Rings>
    private let acceptances = Atomic<Int>(0)

    package init(_ settings: Settings, startedAt: Date = Date()) {
        (self.settings, self.startedAt) = (settings, startedAt)
        rings = Mutex(
            Rings(
                proven: RecentRing(count: settings.rejections, size: Self.rejectionsLimit / 2),
                rejected: RecentRing(count: settings.rejections, size: Self.rejectionsLimit / 2),
                accepted: RecentRing(count: settings.acceptances, size: Self.acceptancesLimit)))
    }

    /// Whether anything is kept.
    package var isOn: Bool { settings.rejections > 0 }

    /// The wanted verdicts, newest first.
    package func entries(_ selection: RecentSelection) -> [RecentVerdict] {
        let all = rings.withLock { [$0.proven.entries, $0.rejected.entries, $0.accepted.entries] }.joined().lazy
            .compactMap(\.self)
            .filter { selection.contains($0.verdict) }
            .sorted { $0.verdict.number > $1.verdict.number }
        return all.prefix(max(0, selection.limit)).map(\.verdict)
    }

    /// The last verdict of a request; nil if none is kept.
    package func entry(request: String) -> RecentVerdict? {
        var selection = RecentSelection()
        (selection.request, selection.limit) = (request, 1)
        return entries(selection).first
    }

    /// What is kept of everything but acceptances, and of acceptances.
    package var kept: (rejections: Kept, acceptances: Kept) {
        let (proven, rejected, accepted) = rings.withLock { ($0.proven.kept, $0.rejected.kept, $0.accepted.kept) }
        let rejections = Kept(
            count: proven.count + rejected.count, size: proven.size + rejected.size,
            oldest: [proven.oldest, rejected.oldest].compactMap(\.self).min())
        return (rejections, accepted)
    }

    // MARK: Recording

    /// Records a verdict.
    package func add(_ verdict: Verdict, _ source: @autoclosure () -> RecentSource) {
        guard isWanted(isAccepted: verdict.outcome == .accept) else { return }
        store(verdict, source(), enforcement: nil)
    }

    /// Records the decision of forward auth. A switched-off check gives none.
    func add(_ decision: RequestDecision, _ source: @autoclosure () -> RecentSource) {
        guard isWanted(isAccepted: decision.isAccepted) else { return }
        let enforcement = decision.isAccepted ? nil : decision.enforcement.rawValue
        switch decision.outcome {
        case .verdict(let verdict): store(verdict, source(), enforcement: enforcement)
        case .outage(let outage): store(.outage(outage), as: nil, source(), enforcement: enforcement)
        case .misconfigured(let error): store(.request(error), as: .misconfigured, source(), enforcement: enforcement)
        case .unjudged(let obstacle):
            let reason = RecentVerdict.Reason(code: obstacle.rawValue, detail: "the request cannot be verified")
            store(RecentVerdict(.unjudged, source(), reason: reason, enforcement: enforcement, at: Date()))
        case .pending, .off: break
        }
    }

    /// Records that there is no verdict.
    ///
    /// - Parameter outcome: nil for the one of the error.
    package func add(
        _ error: VerificationError, as outcome: RecentVerdict.Outcome? = nil, _ source: @autoclosure () -> RecentSource
    ) {
        guard isOn else { return }
        store(error, as: outcome, source(), enforcement: nil)
    }

    /// Records that the record of a request cannot be read, if the problem names a place in it.
    func add(_ problem: Problem, _ source: @autoclosure () -> RecentSource) {
        guard isOn, let place = problem.place else { return }
        let reason = RecentVerdict.Reason(
            code: problem.code.rawValue, detail: problem.detail, field: place.field, offset: place.offset)
        store(RecentVerdict(.unreadable, source(), reason: reason, at: Date()))
    }

    private func isWanted(isAccepted: Bool) -> Bool {
        guard isOn else { return false }
        guard isAccepted else { return true }
        return acceptances.wrappingAdd(1, ordering: .relaxed).oldValue % settings.sampling == 0
    }

    private func store(_ verdict: Verdict, _ source: RecentSource, enforcement: String?) {
        let outcome: RecentVerdict.Outcome = verdict.outcome == .accept ? .accept : .reject
        store(RecentVerdict(outcome, source, verdict: verdict, enforcement: enforcement, at: Date()))
    }

    private func store(
        _ error: VerificationError, as outcome: RecentVerdict.Outcome?, _ source: RecentSource, enforcement: String?
    ) {
        let (natural, reason): (RecentVerdict.Outcome, RecentVerdict.Reason) =
            switch error {
            case .record(let error):
                (
                    .unreadable,
                    RecentVerdict.Reason(
                        code: ProblemCode.unreadableRecord.rawValue, detail: error.message, field: error.field,
                        offset: error.offset)
                )
            case .outage(let outage):
                (.outage, RecentVerdict.Reason(code: outage.code.name, detail: outage.description))
            case .request(let error):
                (
                    error.isOfOperator ? .misconfigured : .unjudged,
                    RecentVerdict.Reason(code: error.code, detail: error.message)
                )
            }
        store(RecentVerdict(outcome ?? natural, source, reason: reason, enforcement: enforcement, at: Date()))
    }

    private func store(_ verdict: RecentVerdict) {
        rings.withLock { rings in
            rings.last += 1
            var verdict = verdict
            verdict.number = rings.last
            let entry = RecentRing.Entry(verdict)
            switch verdict.outcome {
            case .accept: rings.accepted.append(entry)
            case .outage, .misconfigured: rings.proven.append(entry)
            case .reject, .unjudged, .unreadable:
                if verdict.isProven { rings.proven.append(entry) } else { rings.rejected.append(entry) }
            }
        }
    }
}

/// The last entries, at most so many and so large.
private struct RecentRing {
    /// An entry. A class, so that rings are copied and moved fast.
    final class Entry: Sendable {
        let verdict: RecentVerdict
        init(_ verdict: RecentVerdict) { self.verdict = verdict }
    }

    private let maximumCount, maximumSize: Int
    /// Nil where an entry was removed: at the beginning only.
    private(set) var entries: [Entry?] = []
    private var first = 0
    private var size = 0

    init(count: Int, size: Int) { (maximumCount, maximumSize) = (count, size) }

    var kept: RecentVerdicts.Kept {
        RecentVerdicts.Kept(
            count: entries.count - first, size: size,
            oldest: first < entries.count ? entries[first]?.verdict.time : nil)
    }

    mutating func append(_ entry: Entry) {
        guard maximumCount > 0 else { return }
        let added = entry.verdict.size
        while first < entries.count, entries.count - first >= maximumCount || size + added > maximumSize {
            size -= entries[first]?.verdict.size ?? 0
            entries[first] = nil
            first += 1
        }
        // Seldom, so that an entry costs the same on average for every length.
        if first > maximumCount {
            entries.removeFirst(first)
            first = 0
        }
        entries.append(entry)
        size += added
    }
}
