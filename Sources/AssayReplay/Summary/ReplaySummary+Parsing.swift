import AssayCore
import AssayPrimitives

extension ReplaySummary {
    /// How large the JSON of a summary may be, in bytes. One with every table full of long values has some tens of MiB.
    public static let maximumBytes = 256 * 1024 * 1024

    /// Reads what ``json()`` wrote.
    ///
    /// - Parameter bytes: UTF-8.
    /// - Throws: ``SummaryError`` when it is none, or one of a version that is not known.
    public init(json bytes: ArraySlice<UInt8>) throws(SummaryError) {
        self.init()
        let document: RecordValue
        do throws(DecodeError) {
            document = try JSONReader.read(bytes, limit: ReplaySummary.maximumBytes)
        } catch {
            throw SummaryError(error)
        }
        guard let version = try document.optional("assaySummary") else {
            throw SummaryError(document, "it is no summary of a replay: assaySummary is missing")
        }
        _ = try version.integer(in: ReplaySummary.version...ReplaySummary.version)
        outcomes = try OutcomeTally(document.member("outcomes"))
        mismatches = try document.member("mismatches").integer()
        annotated = try document.member("annotated").integer()
        compared = try document.member("compared").integer()
        outcomesAgainst = try OutcomeTally(document.member("outcomesAgainst"))
        first = try document.optional("first")?.time()
        last = try document.optional("last")?.time()
        untimed = try OutcomeTally(document.member("untimed"))
        series = try TimeSeries(document.member("series"))
        try failures.read(document.member("failures"), Count.init)
        try checks.read(document.member("checks"), CheckTally.init)
        for member in try document.member("dimensions").members(atMost: ReplaySummary.dimensionLimit) {
            var table = ReplaySummary.dimension
            try table.read(member.value, OutcomeTally.init)
            dimensions[member.name] = table
        }
        try ages.read(document.member("ages"), LogHistogram.init)
        try counters.read(document.member("counters"), LogHistogram.init)
        try durations.read(document.member("durations"), LogHistogram.init)
        try flows.read(document.member("flows"), Count.init)
        try notes.read(document.member("notes"), Count.init)
        try readRows(document)
    }

    private mutating func readRows(_ document: RecordValue) throws(SummaryError) {
        var layouts: [[String]] = []
        for layout in try document.member("layouts").elements() {
            var names: [String] = []
            for name in try layout.elements() { names.append(try name.text(atMost: RowLimits.name)) }
            layouts.append(names)
        }
        for row in try document.member("rows").elements() { selection.offer(try ReplayRow(row, layouts: layouts)) }
    }
}

extension Count {
    fileprivate init(_ value: RecordValue) throws(SummaryError) {
        self.init(try value.integer())
    }
}

extension OutcomeTally {
    fileprivate init(_ value: RecordValue) throws(SummaryError) {
        let counts = try value.elements(5)
        self.init()
        accepted = try counts[0].integer()
        rejected = try counts[1].integer()
        failed = try counts[2].integer()
        lost = try counts[3].integer()
        gained = try counts[4].integer()
    }
}

extension CheckTally {
    fileprivate init(_ value: RecordValue) throws(SummaryError) {
        let counts = try value.elements(4)
        self.init()
        first = try counts[0].integer()
        failed = try counts[1].integer()
        annotated = try counts[2].integer()
        firstAgainst = try counts[3].integer()
    }
}

extension TimeSeries {
    fileprivate init(_ value: RecordValue) throws(SummaryError) {
        let level = try value.member("level").integer()
        guard TimeSeries.widths.indices.contains(level) else { throw value.expected("a level that there is") }
        let bounds = TimeSeries.numbers(level: level)
        var intervals: [(Int, OutcomeTally)] = []
        for element in try value.member("intervals").elements() {
            let pair = try element.elements(2)
            intervals.append((try pair[0].integer(in: bounds), try OutcomeTally(pair[1])))
        }
        guard let series = TimeSeries(level: level, intervals: intervals) else {
            throw value.expected("a series of intervals")
        }
        self = series
    }
}

extension LogHistogram {
    fileprivate init(_ value: RecordValue) throws(SummaryError) {
        var counts: [(Int, Int)] = []
        for element in try value.member("counts").elements() {
            let pair = try element.elements(2)
            counts.append((try pair[0].integer(), try pair[1].integer()))
        }
        let range = 0...LogHistogram.greatestValue
        guard
            let histogram = LogHistogram(
                negative: try value.member("negative").integer(),
                least: try value.optional("least")?.integer(in: range),
                greatest: try value.optional("greatest")?.integer(in: range), counts: counts)
        else { throw value.expected("a histogram") }
        self = histogram
    }
}

extension BoundedTable {
    fileprivate mutating func read(
        _ value: RecordValue, _ entry: (RecordValue) throws(SummaryError) -> Value
    ) throws(SummaryError) {
        for member in try value.member("values").members(atMost: limit) {
            let count = try entry(member.value)
            update(member.name) { $0.merge(count) }
        }
        mergeOthers(try entry(value.member("others")))
    }
}
