import AssayCore
import FoundationEssentials

/// A piece of evidence as the verifier receives it, and the known facts about it.
struct Submission: Sendable {
    var record: EvidenceRecord
    /// The time of judgement.
    var now: Date
    /// Why it must not be accepted, found without the engine; nil if no reason is known.
    var objection: String?
    /// Whether a field of the record itself was changed: the record may then be unreadable.
    var mayBeUnreadable = false
    /// Whether the verdict may contain measurements, for example in a claim that Assay does not know.
    var mayShowMeasurements = false
    /// Whether an accepting verdict must equal the one on the genuine evidence.
    var isAsGenuine = false

    init(_ record: EvidenceRecord, now: Date, objection: String? = nil, mayBeUnreadable: Bool = false) {
        self.record = record
        self.now = now
        self.objection = objection
        self.mayBeUnreadable = mayBeUnreadable
    }
}

/// Evidence whose parts can be edited before they are signed or encrypted with valid keys.
protocol EditableEvidence: Sendable {
    /// The record's fields that contain base64. Edits of closed evidence change the decoded bytes.
    static var binaryFields: Set<String> { get }

    /// Edits one part.
    mutating func apply(_ edit: Edit)

    /// Signs, encrypts and joins the parts; nil if that fails: no client could have sent such evidence.
    func close() -> Submission?

    /// Why a record must not be accepted if it differs from the closed one; nil if the difference is harmless.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String?

    /// Whether the verdict on the changed record, if it accepts, must equal that on the closed one.
    static func isSameVerdict(_ changed: RecordObject, insteadOf closed: RecordObject) -> Bool
}

extension EditableEvidence {
    static func isSameVerdict(_ changed: RecordObject, insteadOf closed: RecordObject) -> Bool { true }

    /// Allows no change.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        "it was changed after it had been closed"
    }
}
