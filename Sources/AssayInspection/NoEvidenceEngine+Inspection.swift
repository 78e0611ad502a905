package import Assay
package import AssayCore

extension NoEvidenceEngine: InspectableEngine {
    package static let title = "No evidence"

    /// None: a statement is a record or a field, and neither is a blob.
    package static let formats: [any BlobFormat.Type] = []

    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? { nil }

    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        guard kind == .noEvidence else { return nil }
        switch field {
        case "reason": return "why the device says that it has no evidence; nothing proves it"
        case "code": return "the error of the platform, as the device states it"
        case "appVersion": return "the version of the app, as the device states it"
        case "systemVersion": return "the version of the operating system, as the device states it"
        default: return nil
        }
    }

    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? { nil }

    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? { nil }
}
