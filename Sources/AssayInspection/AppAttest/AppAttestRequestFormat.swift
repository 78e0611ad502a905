import AppAttest
import AssayCore

/// A saved request with an assertion as its signature.
enum AppAttestRequestFormat: BlobFormat {
    static let name = "HTTP request with an App Attest assertion"

    private static let request = EvidenceRequest(
        tag: AppAttestConfiguration.engine,
        evidence: "an App Attest assertion, whose client data is the signature base",
        format: AssertionFormat.self,
        unknown:
            "whether the key of keyid made it: `assay verify --kind app-attest.request` verifies it with the enrolled key"
    )

    static func recognise(_ bytes: [UInt8]) -> Recognition? { request.recognise(bytes) }
    static func annotate(_ bytes: [UInt8]) -> BlobContents { request.annotate(bytes) }
    static func violation(in bytes: [UInt8]) -> DecodeError? { EvidenceRequest.violation(in: bytes) }
}
