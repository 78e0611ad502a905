import Assay
import AssayCore

/// The data of a ``ReplayReport``: counts, distributions and selected records. Its memory use is bounded, except that it remembers
/// a hash of each device and account whose outcome differs in a comparison.
public struct ReplaySummary: Sendable {
    /// Outcomes by value of one verdict field.
    package struct Breakdown: Sendable {
        /// The most values counted separately: the first ones in the corpus.
        static let limit = 1000

        package let name: String
        /// The title of the field in reports.
        package let title: String
        /// Records with any other value.
        package fileprivate(set) var others = OutcomeTally()
        fileprivate var tallies: [String: OutcomeTally] = [:]

        /// The values, the most frequent first.
        package var values: [(value: String, tally: OutcomeTally)] {
            tallies.sorted { ($1.value.total, $0.key) < ($0.value.total, $1.key) }.map { ($0.key, $0.value) }
        }
        /// The values of records whose acceptance differs between the policies, those with most such records first.
        package var changedValues: [(value: String, tally: OutcomeTally)] {
            values.filter { $0.tally.changed > 0 }.sorted {
                ($1.tally.changed, $0.value) < ($0.tally.changed, $1.value)
            }
        }
        /// All records that have the field.
        package var total: OutcomeTally { tallies.values.reduce(into: others) { $0.add($1) } }
    }

    /// A histogram for each kind of evidence.
    typealias Distributions = [String: LogHistogram]

    package private(set) var outcomes = OutcomeTally()
    /// Records whose verdict differs from the expected one.
    package private(set) var mismatches = 0
    /// Accepted records in which the policy annotates a failed check.
    package private(set) var annotated = 0
    /// The outcomes under the second policy; nil without a comparison.
    package private(set) var outcomesAgainst: OutcomeTally?
    /// The earliest time of a record.
    package private(set) var first: ReplayTime?
    /// The latest time of a record.
    package private(set) var last: ReplayTime?
    /// Records without a time.
    private(set) var untimed = 0
    private(set) var series = TimeSeries()
    /// The age of evidence at its judgement, in milliseconds.
    private(set) var ages: Distributions = [:]
    /// The counters of accepted evidence.
    private(set) var counters: Distributions = [:]
    /// The duration of assessments, in microseconds.
    private(set) var durations: Distributions = [:]
    private(set) var selection = RowSelection()
    /// Why the records are not all of the corpus; nil if they are.
    package var ending: String?
    /// Notes about the replay itself, with their counts.
    package private(set) var notes: [(text: String, count: Int)] = []
    private var failures: [String: Int] = [:]
    private var checks: [String: CheckTally] = [:]
    private var flows: [ReplayFlow: Int] = [:]
    /// The records that only one of the two policies accepts.
    package private(set) var changes = ReplayChanges()
    private var dimensions: [String: Breakdown] = [:]

    /// An empty summary.
    public init() {}

    /// Counts a record. Call in corpus order.
    public mutating func add(_ record: ReplayedRecord) {
        let end = FlowEnd(record.judgement)
        let against = record.against.map { FlowEnd($0) }
        outcomes.add(end.outcome, against: against?.outcome)
        if record.isMismatch { mismatches += 1 }
        if let time = record.time {
            first = min(first ?? time, time)
            last = max(last ?? time, time)
            series.add(time, end.outcome, against: against?.outcome)
        } else {
            untimed += 1
        }
        if end.outcome == .failed { failures[end.reason, default: 0] += 1 }
        if let against {
            outcomesAgainst = outcomesAgainst ?? OutcomeTally()
            outcomesAgainst?.add(against.outcome, against: nil)
            flows[ReplayFlow(from: end, to: against), default: 0] += 1
            changes.add(record)
        }
        if let verdict = record.judgement.verdict { addChecks(of: verdict, end, duration: record.duration) }
        if let verdict = record.judgement.verdict ?? record.against?.verdict {
            addValues(of: verdict, end.outcome, against?.outcome)
            addMeasures(of: verdict, at: record.time, end.outcome)
        }
        selection.offer(record)
    }

    /// Adds a note about the replay itself. Ignores a count of zero.
    package mutating func note(_ text: String, count: Int) {
        if count > 0 { notes.append((text.excerpt(atMost: RowLimits.name), count)) }
    }

    private mutating func addChecks(of verdict: Verdict, _ end: FlowEnd, duration: Double?) {
        var isAnnotated = false
        for result in verdict.checks {
            switch result.status {
            case .failed: checks[result.check.name, default: CheckTally()].failed += 1
            case .annotated:
                isAnnotated = true
                checks[result.check.name, default: CheckTally()].annotated += 1
            case .passed, .skipped: break
            }
        }
        if end.outcome == .rejected { checks[end.reason, default: CheckTally()].first += 1 }
        if isAnnotated, end.outcome == .accepted { annotated += 1 }
        guard let duration, duration.isFinite else { return }
        let microseconds = min(max(duration * 1_000_000, 0), Double(LogHistogram.greatestValue))
        durations[verdict.kind.name, default: LogHistogram()].add(Int(microseconds.rounded()))
    }

    private mutating func addValues(of verdict: Verdict, _ outcome: ReplayOutcome, _ against: ReplayOutcome?) {
        addValue(verdict.kind.name, of: Dimension.kind, outcome, against)
        if let app = verdict.app { addValue(app, of: Dimension.app, outcome, against) }
        if let authority = verdict.testAuthority { addValue(authority, of: Dimension.testAuthority, outcome, against) }
        guard let subject = verdict.engineSubject else { return }
        for field in subject.dimensions {
            guard let dimension = Dimension.fields[field.name] else { continue }
            addValue(field.value.text, of: dimension, outcome, against)
        }
    }

    private mutating func addValue(
        _ value: String, of dimension: SubjectDimension, _ outcome: ReplayOutcome, _ against: ReplayOutcome?
    ) {
        let value = value.shown(atMost: RowLimits.value)
        let new = Breakdown(name: dimension.name, title: dimension.title)
        func count(in breakdown: inout Breakdown) {
            if breakdown.tallies[value] != nil || breakdown.tallies.count < Breakdown.limit {
                breakdown.tallies[value, default: OutcomeTally()].add(outcome, against: against)
            } else {
                breakdown.others.add(outcome, against: against)
            }
        }
        count(in: &dimensions[dimension.name, default: new])
    }

    private mutating func addMeasures(of verdict: Verdict, at time: ReplayTime?, _ outcome: ReplayOutcome) {
        guard let subject = verdict.engineSubject else { return }
        if let made = subject.madeAt, let time {
            ages[verdict.kind.name, default: LogHistogram()].add(time.milliseconds - ReplayTime(made).milliseconds)
        }
        if outcome == .accepted, let counter = subject.presentedCounter, counter >= 0 {
            counters[verdict.kind.name, default: LogHistogram()].add(Int(counter))
        }
    }
}

// Results for reports and the command line.

extension ReplaySummary {
    /// The checks that failed or were annotated, ordered by the number of records that fail them first.
    package var checkTallies: [(check: String, tally: CheckTally)] {
        checks.map { (check: $0.key, tally: $0.value) }.sorted {
            ($1.tally.first, $1.tally.failed, $1.tally.annotated, $0.check)
                < ($0.tally.first, $0.tally.failed, $0.tally.annotated, $1.check)
        }
    }

    /// The codes of records without a verdict, the most frequent first.
    package var failureCounts: [(code: String, count: Int)] {
        failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// The pairs of decisions by both policies, the most frequent first.
    package var flowCounts: [(flow: ReplayFlow, count: Int)] {
        flows.sorted {
            ($1.value, $0.key.from.reason, $0.key.to.reason) < ($0.value, $1.key.from.reason, $1.key.to.reason)
        }.map { ($0.key, $0.value) }
    }

    /// The breakdowns that have records, in report order.
    package var breakdowns: [Breakdown] { Dimension.all.compactMap { dimensions[$0.name] } }

    /// The number of verdicts based on a test authority; nil if there are none.
    package var testAuthorityCount: Int? { dimensions[Dimension.testAuthority.name]?.total.total }

    package var rows: [ReplayRow] { selection.sorted }

    /// For each reason (a check or failure code), the first selected record that is not accepted.
    package var examples: [String: ReplayRow] {
        Dictionary(
            rows.lazy.filter { $0.end.outcome != .accepted }.map { ($0.end.reason, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The outcomes in a sentence: `1,000 records: 900 accepted, 90 rejected, 10 not judged`.
    package var sentence: String { "\(NumberText.count(outcomes.total, "record")): \(outcomes.words)" }

    /// Whether the records were judged under a second policy.
    package var isComparison: Bool { outcomesAgainst != nil }

    /// The outcomes under the second policy in a sentence.
    package var sentenceAgainst: String { (outcomesAgainst ?? OutcomeTally()).words }
}

extension OutcomeTally {
    fileprivate var words: String {
        "\(NumberText.count(accepted)) accepted, \(NumberText.count(rejected)) rejected, "
            + "\(NumberText.count(failed)) not judged"
    }
}

/// The fields for breakdowns.
enum Dimension {
    static let kind = SubjectDimension("kind", "Kind of evidence")
    static let app = SubjectDimension("app", "App")
    static let testAuthority = SubjectDimension("testAuthority", "Rests on a test authority")

    /// The subjects' fields by name.
    static let fields = Dictionary(Verifier.dimensions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    /// All fields in report order.
    static let all = [app, kind] + Verifier.dimensions + [testAuthority]
}
