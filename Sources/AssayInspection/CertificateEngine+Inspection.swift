package import Assay
package import AssayCore

extension CertificateEngine: InspectableEngine {
    package static let title = "Certificates of hosts"

    /// None: certificates have a general format.
    package static let formats: [any BlobFormat.Type] = []

    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? { nil }

    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        guard kind == .mitmCertificate else { return nil }
        switch field {
        case "host": return "the host to which the app connected"
        case "certificate": return "the certificate that the app saw"
        case "chain": return "the certificates that the app saw, the leaf first"
        case "challenge": return "the challenge, which the carried evidence covers with host and certificate"
        case "binding": return "the evidence that carries the certificate"
        case "presented": return "what the host's addresses presented at the time of the capture"
        default: return nil
        }
    }

    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? { nil }

    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? { nil }
}
