import Assay
import AssayCore

/// The knowledge of mutation tests about an engine's evidence. Each engine conforms in a file of its own.
protocol MutatedEngine: EvidenceEngine {
    /// The differences that may be accepted.
    static var dontCares: [DontCare] { get }

    /// The fields and parts of fields that no gate authenticates: gates accept their changes and a policy check rejects
    /// them.
    static func policyParts(of kind: EvidenceKind) -> Set<String>

    /// The range of such a part in the bytes of a field; nil if the part is the whole field.
    static func policyRange(in record: EvidenceRecord) -> (part: String, field: String, range: Range<Int>)?

    /// Whether the text of a field is opaque even if it looks like base64.
    static func isOpaque(_ path: RecordPath, of kind: EvidenceKind) -> Bool

    /// The plaintext of an encrypted field, and a function that encrypts a changed plaintext; nil for other fields.
    static func inside(
        of text: String, at path: RecordPath, of kind: EvidenceKind, keys: TokenKeys
    ) -> (plaintext: [UInt8], seal: @Sendable ([UInt8]) -> String?)?

    /// Replaces parts of a record with the same parts of another record.
    static func splices(of donor: EvidenceRecord, into record: EvidenceRecord) -> [Splice]
}

extension MutatedEngine {
    static func policyParts(of kind: EvidenceKind) -> Set<String> { [] }
    static func policyRange(in record: EvidenceRecord) -> (part: String, field: String, range: Range<Int>)? { nil }
    static func isOpaque(_ path: RecordPath, of kind: EvidenceKind) -> Bool { false }
    static func inside(
        of text: String, at path: RecordPath, of kind: EvidenceKind, keys: TokenKeys
    ) -> (plaintext: [UInt8], seal: @Sendable ([UInt8]) -> String?)? { nil }
    static func splices(of donor: EvidenceRecord, into record: EvidenceRecord) -> [Splice] { [] }
}

extension EngineRegistry {
    /// The engines with mutation tests.
    var mutated: [any MutatedEngine.Type] { engines.compactMap { $0 as? any MutatedEngine.Type } }

    /// The engine of a kind, for mutation tests.
    func mutated(_ kind: EvidenceKind) -> (any MutatedEngine.Type)? { mutated.first { $0.kinds.contains(kind) } }
}

extension DontCare {
    /// Every difference that may be accepted.
    static let all = EngineRegistry.standard.mutated.flatMap { $0.dontCares }
}
