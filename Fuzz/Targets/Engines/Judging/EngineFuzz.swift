import Assay
import AssayCore
import AssayPrimitives

/// Runs the programs of edits on one kind of evidence.
struct EngineFuzz<Evidence: EditableEvidence>: Sendable {
    /// A form of genuine evidence, and the verifier that judges it.
    struct Variant: Sendable {
        let evidence: Evidence
        let closed: Submission
        let bench: EngineBench

        /// - Parameter isSingleUse: whether the same evidence is accepted only once.
        init(
            _ evidence: Evidence, _ verifier: Verifier, challenges: [IssuedChallenge] = [],
            effects: [LedgerEffect] = [],
            isSingleUse: Bool
        ) {
            guard let closed = evidence.close() else { FuzzTarget.broken("genuine evidence cannot be closed") }
            self.evidence = evidence
            self.closed = closed
            bench = EngineBench(
                verifier, genuine: closed, challenges: challenges, effects: effects, isSingleUse: isSingleUse)
        }
    }

    let variants: [Variant]

    init(_ variants: Variant...) {
        self.variants = variants
    }

    /// Judges the evidence that an input describes. Returns whether a client could have sent that evidence.
    func run(_ input: [UInt8]) -> Bool {
        let program = EditProgram(input)
        let variant = variants[program.variant % variants.count]
        let submission =
            program.isOfClosed ? changed(variant.closed, program.edits) : rebuilt(variant.evidence, program.edits)
        guard let submission else { return false }
        variant.bench.judge(submission, of: input, isThorough: program.isThorough)
        return true
    }

    private func rebuilt(_ evidence: Evidence, _ edits: [Edit]) -> Submission? {
        var evidence = evidence
        for edit in edits { evidence.apply(edit) }
        return evidence.close()
    }

    private func changed(_ closed: Submission, _ edits: [Edit]) -> Submission? {
        var fields = RecordLeaves(closed.record.evidence, binary: Evidence.binaryFields)
        for edit in edits { fields.apply(edit) }
        guard let evidence = fields.changedObject else { return nil }
        var submission = closed
        submission.mayBeUnreadable = true
        submission.isAsGenuine = Evidence.isSameVerdict(evidence, insteadOf: closed.record.evidence)
        submission.objection = Evidence.objection(to: evidence, insteadOf: closed.record.evidence)
        submission.record = EvidenceRecord(
            id: nil, kind: closed.record.kind, app: closed.record.app, receivedAt: nil, evidence: evidence, expect: nil)
        return submission
    }
}

/// The texts in the evidence of a record. Edits change them one by one.
struct RecordLeaves {
    private let original: RecordObject
    private let binary: Set<String>
    private var object: RecordObject
    private var hasChanged = false

    init(_ object: RecordObject, binary: Set<String>) {
        original = object
        self.object = object
        self.binary = binary
    }

    /// The object after the changes; nil if nothing changed.
    var changedObject: RecordObject? { hasChanged ? object : nil }

    /// Changes a text, or the bytes that it encodes in base64.
    mutating func apply(_ edit: Edit) {
        var number = edit.part % max(1, RecordLeaves.count(.object(object)))
        guard case .object(let changed) = changed(.object(object), "", &number, edit) else { return }
        object = changed
        hasChanged = !RecordLeaves.isSame(.object(object), .object(original))
    }

    private static func count(_ content: RecordValue.Content) -> Int {
        switch content {
        case .null, .flag, .number: 0
        case .text: 1
        case .array(let values): values.reduce(0) { $0 + count($1.content) }
        case .object(let object): object.members.reduce(0) { $0 + count($1.value.content) }
        }
    }

    private func changed(
        _ content: RecordValue.Content, _ name: String, _ number: inout Int, _ edit: Edit
    ) -> RecordValue.Content {
        switch content {
        case .null, .flag, .number: return content
        case .text(let text):
            number -= 1
            guard number == -1 else { return content }
            guard binary.contains(name), let bytes = try? Base64.decode(text, .standard) else {
                return .text(edit.text(text))
            }
            return .text(Base64.encode(edit.bytes(bytes), .standard))
        case .array(let values):
            var all: [RecordValue] = []
            for value in values { all.append(RecordValue(changed(value.content, name, &number, edit), offset: 0)) }
            return .array(all)
        case .object(let object):
            var all: [(String, RecordValue.Content)] = []
            for member in object.members {
                all.append((member.name, changed(member.value.content, member.name, &number, edit)))
            }
            return .object(RecordObject(all))
        }
    }

    static func isSame(_ left: RecordValue.Content, _ right: RecordValue.Content) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.isByteEqual(to: right)
        case (.number(let left), .number(let right)): left.isByteEqual(to: right)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isSame($0.content, $1.content) }
        case (.object(let left), .object(let right)):
            left.members.count == right.members.count
                && zip(left.members, right.members).allSatisfy {
                    $0.name.isByteEqual(to: $1.name) && isSame($0.value.content, $1.value.content)
                }
        case (.null, .null): true
        case (.flag(let left), .flag(let right)): left == right
        default: false
        }
    }
}
