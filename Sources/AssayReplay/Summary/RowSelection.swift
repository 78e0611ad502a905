import Assay
package import AssayCore

/// The rows of a report: the first ``rows`` by category and corpus position, and the first ``rowsPerReason`` of every
/// reason, so that frequent reasons do not hide rare ones.
struct RowSelection: Sendable {
    static let rows = 2000
    static let rowsPerReason = 20
    /// The most reasons with rows of their own.
    static let reasons = 200

    /// Why a record is listed, in order of importance.
    private enum Category: Int, CaseIterable {
        case mismatch
        case changed
        case rejected
        case failed
        case accepted
    }

    /// The decisions of the policies; the second is nil without a comparison.
    private struct Reason: Hashable {
        let from: FlowEnd
        let to: FlowEnd?
    }

    private struct Entry {
        let row: ReplayRow
        /// Whether it is among the first ``rowsPerReason`` of its reason.
        let isExample: Bool
    }

    private var kept = Array(repeating: [Entry](), count: Category.allCases.count)
    private var examples: [Reason: Int] = [:]
    private(set) var layouts = CheckLayouts()

    /// Adds a record unless it exceeds the limits.
    mutating func offer(_ record: ReplayedRecord) {
        let reason = Reason(from: FlowEnd(record.judgement), to: record.against.map { FlowEnd($0) })
        let known = examples[reason]
        let isExample = known.map { $0 < RowSelection.rowsPerReason } ?? (examples.count < RowSelection.reasons)
        if isExample { examples[reason] = (known ?? 0) + 1 }
        let category = RowSelection.category(of: record).rawValue
        guard isExample || kept[category].count < RowSelection.rows else { return }
        kept[category].append(Entry(row: ReplayRow(record, &layouts), isExample: isExample))
    }

    /// The selected rows by category, then in corpus order.
    var sorted: [ReplayRow] {
        kept.joined().enumerated().filter { $0.offset < RowSelection.rows || $0.element.isExample }.map(\.element.row)
    }

    private static func category(of record: ReplayedRecord) -> Category {
        if record.isMismatch { return .mismatch }
        let outcome = record.judgement.outcome
        if let against = record.against?.outcome, (against == .accepted) != (outcome == .accepted) { return .changed }
        switch outcome {
        case .accepted: return .accepted
        case .rejected: return .rejected
        case .failed: return .failed
        }
    }
}

/// A listed record: what its line in the report shows, and all else as JSON for the report's script. Texts are cut to ``RowLimits``; control and formatting
/// characters are escaped. HTML is not escaped here.
package struct ReplayRow: Sendable {
    /// The record's ID; without one, its place.
    package let name: String
    /// The line in the file; nil for a record of a JSON document.
    package let line: Int?
    let kind: String?
    let app: String?
    /// What the first policy decided.
    let end: FlowEnd
    /// What the first failed check found, or why there is no verdict.
    package let detail: String?
    let place: String
    let time: ReplayTime?
    /// What the second policy decided, and its detail; nil without a comparison.
    let against: (end: FlowEnd, detail: String?)?
    /// For a record that fails only because of the attestation of its key: that record, and the check that it fails.
    let because: String?
    /// The expectation that the verdict does not meet: the outcome and checks. Empty without one.
    let unmet: [String]
    /// The checks that failed or were annotated, and the codes of failures, under either policy.
    let findings: [String]
    let json: String
}

/// The most characters of a row's texts.
enum RowLimits {
    static let name = 200
    static let detail = 400
    static let value = 160
    static let facts = 48
    static let expected = 32
}

extension String {
    /// Cuts and escapes the text. Returns it without a copy if neither is necessary.
    func shown(atMost limit: Int) -> String {
        let isPlain = utf8.count <= limit && utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPlain ? self : excerpt(atMost: limit)
    }
}

/// Lists of check names that rows refer to by index. All rows of a kind share one list.
struct CheckLayouts: Sendable {
    private(set) var lists: [[String]] = []
    private var numbers: [[String]: Int] = [:]

    mutating func number(of names: [String]) -> Int {
        if let number = numbers[names] { return number }
        numbers[names] = lists.count
        lists.append(names)
        return lists.count - 1
    }
}

extension ReplayRow {
    init(_ record: ReplayedRecord, _ layouts: inout CheckLayouts) {
        let place = record.place
        let id = record.id?.shown(atMost: RowLimits.name)
        let verdict = record.judgement.verdict
        name = id ?? place.description.shown(atMost: RowLimits.name)
        line = place.line
        kind = verdict?.kind.name.shown(atMost: RowLimits.name)
        app = verdict?.app?.shown(atMost: RowLimits.name)
        end = FlowEnd(record.judgement)
        detail = record.judgement.detail?.shown(atMost: RowLimits.detail)
        self.place = place.description.shown(atMost: RowLimits.name)
        time = record.time
        against = record.against.map { (FlowEnd($0), $0.detail?.shown(atMost: RowLimits.detail)) }
        because = record.root.map { root in
            let name = root.id ?? root.place.description
            return "\(name.shown(atMost: RowLimits.name)) fails \(root.check.shown(atMost: RowLimits.name))"
        }
        if record.isMismatch, let expect = record.expect {
            unmet =
                [expect.outcome.rawValue]
                + expect.failed.prefix(RowLimits.expected).map { $0.description.shown(atMost: RowLimits.name) }
        } else {
            unmet = []
        }
        findings = [record.judgement, record.against].compactMap { $0 }.flatMap(\.findings)

        var object = JSONObject()
        if let id { object.add("id", text: id) }
        object.add("file", text: place.file.name.shown(atMost: RowLimits.name))
        if let line { object.add("line", raw: "\(line)") }
        object.add("number", raw: "\(line ?? place.number)")
        if let time = record.time { object.add("time", text: time.description) }
        if let kind { object.add("kind", text: kind) }
        if let app { object.add("app", text: app) }
        let judgement = record.judgement.rowJSON(&layouts)
        object.add("judgement", raw: judgement)
        if let against = record.against?.rowJSON(&layouts) {
            object.add("against", raw: against.isByteEqual(to: judgement) ? "true" : against)
        }
        let fields = (verdict ?? record.against?.verdict)?.engineSubject?.fields ?? []
        if !fields.isEmpty {
            object.add(
                "subject",
                texts: fields.prefix(RowLimits.facts).flatMap {
                    [$0.name.shown(atMost: RowLimits.name), $0.value.text.shown(atMost: RowLimits.value)]
                })
        }
        if !unmet.isEmpty { object.add("unmet", texts: unmet) }
        if let because { object.add("because", text: because) }
        json = object.text
    }
}

extension JSONObject {
    fileprivate mutating func add(_ name: String, texts: [String]) {
        add(name, raw: JSONText.array(texts.map(JSONText.string)))
    }
}

extension ReplayedRecord {
    /// When the evidence was received; otherwise when it was judged.
    var time: ReplayTime? { (receivedAt ?? judgement.verdict?.judgedAt).map { ReplayTime($0) } }
}

extension ReplayedRecord.Judgement {
    package var verdict: Verdict? {
        guard case .verdict(let verdict) = self else { return nil }
        return verdict
    }

    package var outcome: ReplayOutcome {
        switch self {
        case .verdict(let verdict): verdict.outcome == .accept ? .accepted : .rejected
        case .failure: .failed
        }
    }

    package var firstFailed: CheckResult? { verdict?.checks.first { $0.status == .failed } }

    /// The name of the first failed check, or the code of the failure; empty for an accepted record.
    var reason: String {
        switch self {
        case .verdict: firstFailed?.check.name ?? ""
        case .failure(let failure): failure.code.shown(atMost: RowLimits.name)
        }
    }

    /// What the first failed check found, or why there is no verdict.
    package var detail: String? {
        switch self {
        case .verdict: firstFailed?.finding?.detail
        case .failure(let failure): failure.message
        }
    }

    fileprivate var findings: [String] {
        switch self {
        case .verdict(let verdict):
            verdict.checks.filter { $0.status == .failed || $0.status == .annotated }.map(\.check.name)
        case .failure: [reason]
        }
    }

    fileprivate func rowJSON(_ layouts: inout CheckLayouts) -> String {
        var object = JSONObject()
        object.add("outcome", text: outcome.rawValue)
        switch self {
        case .failure(let failure):
            object.add("code", text: reason)
            object.add("message", text: failure.message.shown(atMost: RowLimits.detail))
        case .verdict(let verdict):
            object.add("layout", raw: "\(layouts.number(of: verdict.checks.map(\.check.name)))")
            object.add("statuses", text: verdict.checks.map(\.status.letter).joined())
            var notes = JSONObject()
            for (index, result) in verdict.checks.enumerated() {
                if let note = result.note { notes.add("\(index)", raw: note) }
            }
            object.add("notes", raw: notes.text)
        }
        return object.text
    }
}

extension CheckResult {
    /// The reason of a skipped check as a JSON string, or the finding as an object; nil without either.
    fileprivate var note: String? {
        guard let finding else { return because.map { JSONText.string($0.description) } }
        var object = JSONObject()
        if let because { object.add("because", text: because.description) }
        object.add("code", text: finding.code)
        object.add("detail", text: finding.detail.shown(atMost: RowLimits.detail))
        return object.text
    }
}

extension CheckResult.Status {
    fileprivate var letter: String {
        switch self {
        case .passed: "p"
        case .failed: "f"
        case .annotated: "a"
        case .skipped: "s"
        }
    }
}
