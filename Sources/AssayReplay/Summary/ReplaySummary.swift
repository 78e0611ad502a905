import Assay
import AssayCore

/// What came of a corpus: counts, distributions, and a bounded choice of its records.
///
/// Summaries of the parts of a corpus, merged in any order and grouping, are byte for byte the summary of the whole. The
/// memory is bounded whatever is in the corpus: of what is counted by value, at most so many values are kept, and the
/// rest is counted together.
///
///     var summary = ReplaySummary()
///     for record in replayed { summary.add(record) }
///     try ReportFile.write(ReplayReport(summary).html(), to: "report.html")
public struct ReplaySummary: Sendable {
    /// How many values of a dimension are told apart.
    static let valuesPerDimension = 1000
    /// How many dimensions there may be.
    static let dimensionLimit = 64
    /// How many names of other kinds are told apart: checks, codes, kinds, notes.
    static let nameLimit = 200

    /// The outcomes.
    public internal(set) var outcomes = OutcomeTally()
    /// The records whose verdict is not the one that they expect.
    public internal(set) var mismatches = 0
    /// The accepted records of which the policy notes something.
    public internal(set) var annotated = 0
    /// The records that were judged under a second policy as well.
    public internal(set) var compared = 0
    /// The outcomes of those under the second policy.
    public internal(set) var outcomesAgainst = OutcomeTally()
    /// The earliest time of a record.
    public internal(set) var first: ReplayTime?
    /// The latest time of a record.
    public internal(set) var last: ReplayTime?

    /// The records without a time, by outcome.
    var untimed = OutcomeTally()
    var series = TimeSeries()
    var failures = BoundedTable<Count>(limit: nameLimit)
    var checks = BoundedTable<CheckTally>(limit: nameLimit)
    var dimensions: [String: BoundedTable<OutcomeTally>] = [:]
    /// By kind: how old evidence is when it is judged, in milliseconds.
    var ages = BoundedTable<LogHistogram>(limit: nameLimit)
    /// By kind: the counters of accepted evidence.
    var counters = BoundedTable<LogHistogram>(limit: nameLimit)
    /// By kind: how long assessing took, in microseconds.
    var durations = BoundedTable<LogHistogram>(limit: nameLimit)
    /// By pair of what the two policies say.
    var flows = BoundedTable<Count>(limit: 5 * nameLimit)
    var notes = BoundedTable<Count>(limit: nameLimit)
    var selection = RowSelection()

    /// A summary of nothing.
    public init() {}

    /// Counts a record.
    public mutating func add(_ record: ReplayedRecord) {
        let outcome = record.judgement.outcome
        let against = record.against?.outcome
        let end = FlowEnd(record.judgement)
        let flow = FlowKey(from: end, to: record.against.map { FlowEnd($0) })
        outcomes.add(outcome, against: against)
        if record.isMismatch { mismatches.count(1) }
        addTime(record.time, outcome, against)
        if outcome == .failed { failures.update(end.reason) { $0.number.count(1) } }
        if let verdict = record.judgement.verdict { add(verdict, end, duration: record.duration) }
        if let against, let to = flow.to {
            compared.count(1)
            outcomesAgainst.add(against, against: nil)
            if against == .rejected { checks.update(to.reason) { $0.firstAgainst.count(1) } }
            flows.update(flow.text) { $0.number.count(1) }
        }
        if let verdict = record.judgement.verdict ?? record.against?.verdict {
            addDimensions(of: verdict, outcome, against)
            addMeasures(of: verdict, at: record.time, outcome)
        }
        selection.offer(record.rank, reason: flow.text) { ReplayRow(record) }
    }

    /// Counts something about the replay itself that is worth knowing, such as how many challenges were presumed to have
    /// been issued. Counts of one text add up.
    public mutating func note(_ text: String, count: Int) {
        guard count > 0 else { return }
        notes.update(text.excerpt(atMost: RowLimits.name)) { $0.number.count(count) }
    }

    /// Adds what another part of the corpus gave.
    public mutating func merge(_ other: ReplaySummary) {
        outcomes.merge(other.outcomes)
        mismatches.count(other.mismatches)
        annotated.count(other.annotated)
        compared.count(other.compared)
        outcomesAgainst.merge(other.outcomesAgainst)
        first = [first, other.first].compactMap { $0 }.min()
        last = [last, other.last].compactMap { $0 }.max()
        untimed.merge(other.untimed)
        series.merge(other.series)
        failures.merge(other.failures)
        checks.merge(other.checks)
        for (name, table) in other.dimensions { dimensions[name, default: ReplaySummary.dimension].merge(table) }
        ages.merge(other.ages)
        counters.merge(other.counters)
        durations.merge(other.durations)
        flows.merge(other.flows)
        notes.merge(other.notes)
        selection.merge(other.selection)
    }

    static var dimension: BoundedTable<OutcomeTally> { BoundedTable(limit: valuesPerDimension) }

    private mutating func addTime(_ time: ReplayTime?, _ outcome: ReplayOutcome, _ against: ReplayOutcome?) {
        guard let time else { return untimed.add(outcome, against: against) }
        first = min(first ?? time, time)
        last = max(last ?? time, time)
        series.update(time) { $0.add(outcome, against: against) }
    }

    private mutating func add(_ verdict: Verdict, _ end: FlowEnd, duration: Double?) {
        var hasNotes = false
        for result in verdict.checks {
            switch result.status {
            case .failed: checks.update(result.check.name) { $0.failed.count(1) }
            case .annotated:
                hasNotes = true
                checks.update(result.check.name) { $0.annotated.count(1) }
            case .passed, .skipped: break
            }
        }
        if end.outcome == .rejected { checks.update(end.reason) { $0.first.count(1) } }
        if hasNotes, end.outcome == .accepted { annotated.count(1) }
        guard let duration, duration.isFinite else { return }
        let microseconds = min(max(duration * 1_000_000, 0), Double(LogHistogram.greatestValue))
        durations.update(verdict.kind.name) { $0.add(Int(microseconds.rounded())) }
    }

    private mutating func addDimensions(of verdict: Verdict, _ outcome: ReplayOutcome, _ against: ReplayOutcome?) {
        addValue(verdict.kind.name, of: Dimension.kind.name, outcome, against)
        if let app = verdict.app { addValue(app, of: Dimension.app.name, outcome, against) }
        if let authority = verdict.testAuthority {
            addValue(authority, of: Dimension.testAuthority.name, outcome, against)
        }
        guard let subject = verdict.subject else { return }
        for field in subject.dimensions where Dimension.names.contains(field.name) {
            addValue(field.value.text, of: field.name, outcome, against)
        }
    }

    private mutating func addValue(
        _ value: String, of dimension: String, _ outcome: ReplayOutcome, _ against: ReplayOutcome?
    ) {
        let key = value.shown(atMost: RowLimits.value)
        dimensions[dimension, default: ReplaySummary.dimension].update(key) { $0.add(outcome, against: against) }
    }

    private mutating func addMeasures(of verdict: Verdict, at time: ReplayTime?, _ outcome: ReplayOutcome) {
        guard let subject = verdict.subject else { return }
        if let made = subject.madeAt, let time {
            ages.update(verdict.kind.name) { $0.add(time.milliseconds - ReplayTime(made).milliseconds) }
        }
        if outcome == .accepted, let counter = subject.presentedCounter, counter >= 0 {
            counters.update(verdict.kind.name) { $0.add(Int(counter)) }
        }
    }
}

/// What verdicts are broken down by.
enum Dimension {
    static let kind = SubjectDimension("kind", "Kind of evidence")
    static let app = SubjectDimension("app", "App")
    static let testAuthority = SubjectDimension("testAuthority", "Rests on a test authority")

    /// All of them, in the order of a report.
    static let all = [app, kind] + Verifier.dimensions + [testAuthority]
    static let names = Set(Verifier.dimensions.map(\.name))
}
