package import Assay
package import AssayCore
import AssayPrimitives

/// An engine with the knowledge that inspection and the command line need of its evidence. A file for each engine conforms
/// it; the registry finds it.
package protocol InspectableEngine: EvidenceEngine {
    /// The display name, such as `App Attest`.
    static var title: String { get }

    /// The kinds of evidence that `assay verify --kind` accepts as one raw blob.
    static var rawKinds: [RawKind] { get }

    /// The platform's formats. They are recognised before the general formats.
    static var formats: [any BlobFormat.Type] { get }

    /// The fields of evidence. The first one that fits a kind and a name counts.
    static var fields: [InspectedField] { get }

    /// The formats of the main part of each kind, for kinds that a blob alone shows.
    static var mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] { get }

    /// A record for a single blob of a format, such as a token that names its app, so that a policy can judge it; nil if the blob alone
    /// is not enough.
    static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord?

    /// What a client or a server probably did wrong, one sentence each; empty if nothing is known.
    static func diagnose(_ rejected: RejectedEvidence) -> [String]
}

extension InspectableEngine {
    /// None: the engine accepts records only.
    package static var rawKinds: [RawKind] { [] }
    /// None: the evidence has general formats.
    package static var formats: [any BlobFormat.Type] { [] }
    package static var mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] { [] }
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? { nil }

    /// The format of an evidence field, such as `attestation`; nil if the engine defines none.
    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? {
        fields.first { $0.fits(field, kind) && $0.format != nil }?.format
    }

    /// The meaning of an evidence field in words; nil for fields that the kind does not have.
    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        fields.first { $0.fits(field, kind) }?.meaning
    }

    /// The kind of evidence whose main part has this format; nil for other formats.
    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? {
        mainFormats.first { $0.format == format }?.kind
    }
}

/// A field of evidence, as inspection shows it.
package struct InspectedField: Sendable {
    private let kind: EvidenceKind?
    private let name: String
    fileprivate let meaning: String
    fileprivate let format: (any BlobFormat.Type)?

    /// - Parameters:
    ///   - kind: nil for all kinds of the engine.
    ///   - format: nil if the value has no format of its own.
    package init(_ kind: EvidenceKind?, _ name: String, _ meaning: String, _ format: (any BlobFormat.Type)? = nil) {
        (self.kind, self.name, self.meaning, self.format) = (kind, name, meaning, format)
    }

    fileprivate func fits(_ field: String, _ kind: EvidenceKind) -> Bool {
        name.isByteEqual(to: field) && (self.kind ?? kind) == kind
    }
}

extension EvidenceRecord {
    /// The record of a blob that was found alone, with these fields of evidence.
    init(_ kind: EvidenceKind, alone members: [(String, RecordValue.Content)]) {
        self.init(id: nil, kind: kind, app: nil, receivedAt: nil, evidence: RecordObject(members), expect: nil)
    }
}

extension EngineRegistry {
    /// The engines whose evidence can be shown, in the order of help and lists.
    package var inspectable: [any InspectableEngine.Type] { engines.compactMap { $0 as? any InspectableEngine.Type } }

    /// Decodes the blobs of these engines.
    package var inspector: Inspector { Inspector(engines: inspectable) }
}

extension Verifier {
    /// Identifies and decodes blobs: the evidence of every engine, and its containers. Verifies nothing; needs no key.
    ///
    ///     let layer = Verifier.inspector.inspect(bytes, name: "attestation")
    package static let inspector = EngineRegistry.standard.inspector
}
