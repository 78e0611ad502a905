import Assay
import AssayCore

extension ReplaySummary {
    /// The version of the form that ``json()`` writes.
    static let version = 1

    /// The summary as one JSON object on one line, UTF-8. Equal summaries are equal bytes.
    public func json() -> String {
        var object = JSONObject()
        object.add("assaySummary", raw: "\(ReplaySummary.version)")
        object.add("outcomes", raw: outcomes.json)
        object.add("mismatches", raw: "\(mismatches)")
        object.add("annotated", raw: "\(annotated)")
        object.add("compared", raw: "\(compared)")
        object.add("outcomesAgainst", raw: outcomesAgainst.json)
        if let first { object.add("first", text: first.description) }
        if let last { object.add("last", text: last.description) }
        object.add("untimed", raw: untimed.json)
        object.add("series", raw: series.json)
        object.add("failures", raw: failures.json(\.json))
        object.add("checks", raw: checks.json(\.json))
        var tables = JSONObject()
        for (name, table) in dimensions.sorted(by: { ByteText($0.key) < ByteText($1.key) }) {
            tables.add(name, raw: table.json(\.json))
        }
        object.add("dimensions", raw: tables.text)
        object.add("ages", raw: ages.json(\.json))
        object.add("counters", raw: counters.json(\.json))
        object.add("durations", raw: durations.json(\.json))
        object.add("flows", raw: flows.json(\.json))
        object.add("notes", raw: notes.json(\.json))
        let rows = rows
        let layouts = CheckLayouts(of: rows)
        object.add("layouts", raw: layouts.json)
        object.add("rows", raw: JSONText.array(rows.map { $0.json(layouts: layouts.numbers) }))
        return object.text
    }
}

/// The lists of checks that rows have, each written once: they are the same for all rows of a kind.
struct CheckLayouts {
    /// The lists, as JSON.
    let json: String
    /// Where each list stands.
    let numbers: [ByteText: Int]

    init(of rows: [ReplayRow]) {
        var found: Set<ByteText> = []
        for row in rows {
            for judgement in [row.judgement, row.against].compactMap({ $0 }) { found.insert(judgement.layout) }
        }
        let sorted = found.sorted()
        json = JSONText.array(sorted.map(\.text))
        numbers = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, $0) })
    }
}

extension Count {
    fileprivate var json: String { "\(number)" }
}

extension OutcomeTally {
    fileprivate var json: String { "[\(accepted),\(rejected),\(failed),\(lost),\(gained)]" }
}

extension CheckTally {
    fileprivate var json: String { "[\(first),\(failed),\(annotated),\(firstAgainst)]" }
}

extension TimeSeries {
    fileprivate var json: String {
        var object = JSONObject()
        object.add("level", raw: "\(level)")
        object.add("seconds", raw: "\(width / 1000)")
        object.add("intervals", raw: JSONText.array(sorted.map { "[\($0.number),\($0.tally.json)]" }))
        return object.text
    }
}

extension LogHistogram {
    fileprivate var json: String {
        var object = JSONObject()
        object.add("negative", raw: "\(negative)")
        if let least { object.add("least", raw: "\(least)") }
        if let greatest { object.add("greatest", raw: "\(greatest)") }
        object.add(
            "counts", raw: JSONText.array(counts.sorted { $0.key < $1.key }.map { "[\($0.key),\($0.value)]" }))
        return object.text
    }
}

extension BoundedTable {
    fileprivate func json(_ value: (Value) -> String) -> String {
        var members = JSONObject()
        for (key, entry) in sorted { members.add(key, raw: value(entry)) }
        var object = JSONObject()
        object.add("values", raw: members.text)
        object.add("others", raw: value(others))
        return object.text
    }
}

extension RowJudgement {
    /// The names of the checks, as JSON.
    var layout: ByteText { ByteText(JSONText.array(checks.map { JSONText.string($0.check) })) }

    /// - Parameter layouts: where each list of checks stands; one that is not there is written out.
    fileprivate func json(layouts: [ByteText: Int]) -> String {
        var object = JSONObject()
        object.add("outcome", text: outcome.rawValue)
        if let failure {
            object.add("code", text: failure.code)
            object.add("message", text: failure.message)
        }
        guard !checks.isEmpty else { return object.text }
        let layout = layout
        object.add("layout", raw: layouts[layout].map { "\($0)" } ?? layout.text)
        object.add("statuses", text: checks.map { $0.status.letter }.joined())
        var notes = JSONObject()
        for (index, check) in checks.enumerated() where check.code != nil || check.because != nil {
            notes.add("\(index)", raw: check.noteJSON)
        }
        object.add("notes", raw: notes.text)
        return object.text
    }
}

extension RowCheck {
    fileprivate var noteJSON: String {
        guard code != nil || detail != nil else { return JSONText.string(because ?? "") }
        var object = JSONObject()
        if let because { object.add("because", text: because) }
        if let code { object.add("code", text: code) }
        if let detail { object.add("detail", text: detail) }
        return object.text
    }
}

extension CheckResult.Status {
    /// One letter for each status.
    var letter: String {
        switch self {
        case .passed: "p"
        case .failed: "f"
        case .annotated: "a"
        case .skipped: "s"
        }
    }

    /// The status of a letter.
    init?(letter: Character) {
        switch letter {
        case "p": self = .passed
        case "f": self = .failed
        case "a": self = .annotated
        case "s": self = .skipped
        default: return nil
        }
    }
}

extension ReplayRow {
    /// The row as a JSON object.
    ///
    /// - Parameter layouts: where each list of checks stands.
    func json(layouts: [ByteText: Int]) -> String {
        var object = JSONObject()
        if let id { object.add("id", text: id) }
        object.add("file", text: file)
        if let line { object.add("line", raw: "\(line)") }
        object.add("number", raw: "\(number)")
        if let time { object.add("time", text: time.description) }
        if let kind { object.add("kind", text: kind) }
        if let app { object.add("app", text: app) }
        object.add("judgement", raw: judgement.json(layouts: layouts))
        if let against {
            object.add("against", raw: against == judgement ? "true" : against.json(layouts: layouts))
        }
        if !subject.isEmpty {
            object.add(
                "subject",
                raw: JSONText.array(subject.flatMap { [JSONText.string($0.name), JSONText.string($0.value)] }))
        }
        if let unmet {
            object.add(
                "unmet", raw: JSONText.array(([unmet.outcome.rawValue] + unmet.failed.map(\.description)).map(JSONText.string)))
        }
        return object.text
    }
}
