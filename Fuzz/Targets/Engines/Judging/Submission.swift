import AssayCore
import FoundationEssentials

/// A piece of evidence as it reaches the verifier, with what is known of it beforehand.
struct Submission: Sendable {
    var record: EvidenceRecord
    /// The time of judgement.
    var now: Date
    /// Why it must not be accepted, found without the engine; nil when nothing is known against it.
    var objection: String?
    /// Whether a field of the record itself was changed, so that it may be unreadable as a record.
    var mayBeUnreadable = false
    /// Whether measurements may stand where verdicts show what nobody knows, such as in a claim of another name.
    var mayShowMeasurements = false
    /// Whether the verdict, when it accepts, says what that on the genuine evidence says.
    var isAsGenuine = false

    init(_ record: EvidenceRecord, now: Date, objection: String? = nil, mayBeUnreadable: Bool = false) {
        self.record = record
        self.now = now
        self.objection = objection
        self.mayBeUnreadable = mayBeUnreadable
    }
}

/// Evidence whose parts can be edited before it is closed by valid means.
protocol EditableEvidence: Sendable {
    /// The fields of its record that are base64 of what they hold, which edits of closed evidence change inside.
    static var binaryFields: Set<String> { get }

    /// Edits one part.
    mutating func apply(_ edit: Edit)

    /// Signs, encrypts and joins the parts; nil when they cannot be, so that no client could have sent them.
    func close() -> Submission?

    /// Why a record that differs from one that was closed must not be accepted; nil when the difference is a don't-care.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String?

    /// Whether whatever is accepted instead of a record that was closed says the same of all.
    static func isSameVerdict(_ changed: RecordObject, insteadOf closed: RecordObject) -> Bool
}

extension EditableEvidence {
    static func isSameVerdict(_ changed: RecordObject, insteadOf closed: RecordObject) -> Bool { true }

    /// Nothing may be changed.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        "it was changed after it had been closed"
    }
}
