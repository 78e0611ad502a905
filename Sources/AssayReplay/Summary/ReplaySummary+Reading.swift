import AssayCore

// What a summary tells, for those who render it.

extension ReplaySummary {
    /// One thing that records are broken down by.
    public struct Breakdown: Sendable {
        /// The name of the field.
        public let name: String
        /// What people call it.
        public let title: String
        /// The values, the most frequent first.
        public let values: [(value: String, tally: OutcomeTally)]
        /// All values that are not told apart.
        public let others: OutcomeTally

        /// All records that have the field.
        public var total: OutcomeTally {
            values.reduce(into: others) { $0.merge($1.tally) }
        }
    }

    /// The distribution of something that is measured, of one kind of evidence.
    public struct Distribution: Sendable {
        /// The kind of evidence.
        public let kind: String
        /// The values.
        public let histogram: LogHistogram
    }

    /// Whether the records were judged under a second policy.
    public var isComparison: Bool { compared > 0 }

    /// The checks that did not hold, those first at which most records fail first.
    public var checkTallies: [(check: String, tally: CheckTally)] {
        checks.sorted.map { (check: $0.key, tally: $0.value) }.sorted {
            ($1.tally.first, $1.tally.failed, $1.tally.annotated, $0.check)
                < ($0.tally.first, $0.tally.failed, $0.tally.annotated, $1.check)
        }
    }

    /// Why records could not be judged, by code, the most frequent first.
    public var failureCounts: [(code: String, count: Int)] {
        failures.sorted.map { (code: $0.key, count: $0.value.number) }.sorted { $1.count < $0.count }
    }

    /// What the replay noted.
    public var noteCounts: [(text: String, count: Int)] {
        notes.sorted.map { (text: $0.key, count: $0.value.number) }
    }

    /// What records are broken down by, in the order of the documentation; what has no value is left out.
    public var breakdowns: [Breakdown] {
        let known = Dimension.all.filter { dimensions[$0.name] != nil }
        let unknown = dimensions.keys.filter { name in !known.contains { $0.name.isByteEqual(to: name) } }
        return (known + unknown.sorted { ByteText($0) < ByteText($1) }.map { SubjectDimension($0, $0) }).compactMap {
            dimension in
            guard let table = dimensions[dimension.name] else { return nil }
            let values = table.sorted.map { (value: $0.key, tally: $0.value) }.sorted {
                $1.tally.total < $0.tally.total
            }
            return Breakdown(name: dimension.name, title: dimension.title, values: values, others: table.others)
        }
    }

    /// How many verdicts rest on a test authority, and nil when none does.
    public var testAuthorityCount: Int? {
        breakdowns.first { $0.name.isByteEqual(to: Dimension.testAuthority.name) }?.total.total
    }

    /// How old evidence is when it is judged, in milliseconds.
    public var ageDistributions: [Distribution] { ReplaySummary.distributions(ages) }
    /// The counters of accepted evidence.
    public var counterDistributions: [Distribution] { ReplaySummary.distributions(counters) }
    /// How long assessing took, in microseconds.
    public var durationDistributions: [Distribution] { ReplaySummary.distributions(durations) }

    private static func distributions(_ table: BoundedTable<LogHistogram>) -> [Distribution] {
        table.sorted.map { Distribution(kind: $0.key, histogram: $0.value) }
    }

    /// What the two policies say, pair by pair, the most frequent first.
    public var flowCounts: [ReplayFlow] {
        flows.sorted.compactMap { entry -> ReplayFlow? in
            guard let key = FlowKey(entry.key), let to = key.to else { return nil }
            return ReplayFlow(from: key.from, to: to, count: entry.value.number)
        }.sorted { $1.count < $0.count }
    }

    /// The records that are shown.
    public var rows: [ReplayRow] { selection.sorted }

    /// The first record of each reason: of a check at which records fail first, of a code of failures.
    ///
    /// - Returns: by check or code.
    public var examples: [String: ReplayRow] {
        var examples: [String: ReplayRow] = [:]
        for (_, row) in selection.examples where row.judgement.outcome != .accepted {
            let reason = row.judgement.reason
            if let other = examples[reason], other.rank < row.rank { continue }
            examples[reason] = row
        }
        return examples
    }
}
