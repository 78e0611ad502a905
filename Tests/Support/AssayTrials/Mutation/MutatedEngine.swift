import Assay
import AssayCore
import AssayInspection

/// What mutation tests must know of an engine's evidence. A file for each engine conforms it; the registry finds it.
protocol MutatedEngine: InspectableEngine {
    /// The differences that may be accepted.
    static var dontCares: [DontCare] { get }

    /// The fields, and the parts of fields, whose changes the gates let pass and a policy check refuses.
    static func policyParts(of kind: EvidenceKind) -> Set<String>

    /// Where such a part lies in the bytes of a field; nil for a part that is a whole field.
    static func policyRange(in record: EvidenceRecord) -> (part: String, field: String, range: Range<Int>)?

    /// Whether the text of a field is opaque, though it could be base64.
    static func isOpaque(_ path: RecordPath, of kind: EvidenceKind) -> Bool

    /// What is inside of an encrypted field, and how a changed inside is encrypted again; nil for any other field.
    static func inside(
        of text: String, at path: RecordPath, of kind: EvidenceKind, keys: TokenKeys
    ) -> (plaintext: [UInt8], seal: @Sendable ([UInt8]) -> String?)?

    /// Parts of the bytes of one record in the place of the same parts of another one.
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
    /// The engines that mutation tests know.
    var mutated: [any MutatedEngine.Type] { engines.compactMap { $0 as? any MutatedEngine.Type } }

    /// The engine that judges a kind, as mutation tests know it.
    func mutated(_ kind: EvidenceKind) -> (any MutatedEngine.Type)? { mutated.first { $0.kinds.contains(kind) } }
}

extension DontCare {
    /// Every difference that may be accepted.
    static let all = EngineRegistry.standard.mutated.flatMap { $0.dontCares }
}
