import AndroidKey
import AssayCore

/// A saved request that an attested key signed.
enum AndroidKeyRequestFormat: BlobFormat {
    static let name = "HTTP request signed by an Android key"

    private static let request = EvidenceRequest(
        tag: AndroidKeyConfiguration.engine,
        evidence: "the signature of an attested key over the signature base", format: nil,
        unknown:
            "whether the key of keyid made it: `assay verify --kind android-key.request` verifies it with the enrolled key"
    )

    static func recognise(_ bytes: [UInt8]) -> Recognition? { request.recognise(bytes) }
    static func annotate(_ bytes: [UInt8]) -> BlobContents { request.annotate(bytes) }
    static func violation(in bytes: [UInt8]) -> DecodeError? { EvidenceRequest.violation(in: bytes) }
}
