import Assay
public import AssayCore

/// A record that a summary shows, with what is worth seeing of it. Texts are cut to a length that bounds the whole, and what
/// terminals and readers of lines act on is escaped in them; they are not escaped for HTML.
public struct ReplayRow: Sendable, Equatable {
    /// The record's name, and nil when it has none that could be read.
    public let id: String?
    /// The file's name.
    public let file: String
    /// The line, where a record takes up one.
    public let line: Int?
    /// The line, or the record's number in its file where it has none; 0 for the file itself.
    public let number: Int
    /// When the evidence was received, or else judged; nil when neither is known.
    public let time: ReplayTime?
    /// The kind of evidence, when it was judged.
    public let kind: String?
    /// The policy's app, when it was judged.
    public let app: String?
    /// What the policy says.
    public let judgement: RowJudgement
    /// What the policy that it is compared with says.
    public let against: RowJudgement?
    /// What the evidence told, as names and rendered values; see ``Verdict/subject``.
    public let subject: [RowFact]
    /// What the record expected, when the verdict is another.
    public let unmet: EvidenceRecord.Expectation?

    /// File, and line or record; the file alone when there is something to say of it as a whole.
    public var place: String {
        if let line { return "\(file):\(line)" }
        return number == 0 ? file : "\(file): record \(number)"
    }
    /// The id, or else the place.
    public var name: String { id ?? place }
}

/// A fact of a row's subject.
public struct RowFact: Sendable, Equatable {
    /// The field's name.
    public let name: String
    /// Its value as text.
    public let value: String
}

/// What one policy says of a row.
public struct RowJudgement: Sendable, Equatable {
    /// What came of it.
    public let outcome: ReplayOutcome
    /// Every check in its order; none when it could not be judged.
    public let checks: [RowCheck]
    /// Why it could not be judged: code and sentence.
    public let failure: ReplayFailure?

    /// The first check that failed.
    public var firstFailed: RowCheck? { checks.first { $0.status == .failed } }
    /// Why it was not accepted, as a key of tables: the first check that failed, or the code of the failure.
    var reason: String { firstFailed?.check ?? failure?.code ?? "" }
}

/// How a check of a row came out.
public struct RowCheck: Sendable, Equatable {
    /// The check's name.
    public let check: String
    /// How it came out.
    public let status: CheckResult.Status
    /// Why it was skipped: a check's name, `policy` or `not-applicable`.
    public let because: String?
    /// The code of what was found.
    public let code: String?
    /// What was found.
    public let detail: String?
}

/// How long texts of rows may be, in characters.
enum RowLimits {
    static let name = 200
    static let detail = 400
    static let value = 160
    static let facts = 48
    static let expected = 32
}

extension String {
    /// The text as it may stand in a row: its excerpt, found at once where there is nothing to cut or to escape.
    func shown(atMost limit: Int) -> String {
        let isPlain = utf8.count <= limit && utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPlain ? self : excerpt(atMost: limit)
    }
}

extension ReplayRow {
    /// Renders what came of a record.
    init(_ record: ReplayedRecord) {
        id = record.id?.shown(atMost: RowLimits.name)
        file = record.place.file.name.shown(atMost: RowLimits.name)
        line = record.place.line
        // Of the parts of a corpus, each counts its records from one. Lines have the numbers of the whole.
        number = record.place.line ?? record.place.number
        time = record.time
        let verdict = record.judgement.verdict
        kind = verdict?.kind.name.shown(atMost: RowLimits.name)
        app = verdict?.app.shown(atMost: RowLimits.name)
        judgement = RowJudgement(record.judgement)
        against = record.against.map { RowJudgement($0) }
        let fields = (verdict ?? record.against?.verdict)?.subject?.fields ?? []
        subject = fields.prefix(RowLimits.facts).map {
            RowFact(name: $0.name, value: $0.value.text.shown(atMost: RowLimits.value))
        }
        unmet =
            record.isMismatch
            ? record.expect.map {
                EvidenceRecord.Expectation(
                    outcome: $0.outcome,
                    failed: $0.failed.prefix(RowLimits.expected).map {
                        .init(check: $0.description.shown(atMost: RowLimits.name), code: nil)
                    })
            } : nil
    }
}

extension RowJudgement {
    init(_ judgement: ReplayedRecord.Judgement) {
        outcome = judgement.outcome
        switch judgement {
        case .verdict(let verdict):
            checks = verdict.checks.map {
                RowCheck(
                    check: $0.check.name, status: $0.status, because: $0.because?.description, code: $0.finding?.code,
                    detail: $0.finding?.detail.shown(atMost: RowLimits.detail))
            }
            failure = nil
        case .failure(let error):
            checks = []
            failure = ReplayFailure(
                error.code.shown(atMost: RowLimits.name), error.message.shown(atMost: RowLimits.detail))
        }
    }
}

extension ReplayedRecord {
    /// When the evidence was received, or else judged.
    var time: ReplayTime? { (receivedAt ?? judgement.verdict?.judgedAt).map { ReplayTime($0) } }
}

extension ReplayedRecord.Judgement {
    /// The verdict, when it was judged.
    var verdict: Verdict? {
        guard case .verdict(let verdict) = self else { return nil }
        return verdict
    }

    /// What came of it, in a word.
    public var outcome: ReplayOutcome {
        switch self {
        case .verdict(let verdict): verdict.outcome == .accept ? .accepted : .rejected
        case .failure: .failed
        }
    }

    /// Why it is not accepted: the first check that failed, or the code of the failure; empty when it is.
    var reason: String {
        switch self {
        case .verdict(let verdict): verdict.checks.first { $0.status == .failed }?.check.name ?? ""
        case .failure(let error): error.code.shown(atMost: RowLimits.name)
        }
    }
}

extension SubjectField.Value {
    /// The value as one text.
    var text: String {
        switch self {
        case .text(let text): text
        case .texts(let texts): texts.isEmpty ? "none" : texts.joined(separator: ", ")
        case .integer(let number): "\(number)"
        case .flag(let flag): flag ? "yes" : "no"
        }
    }
}
