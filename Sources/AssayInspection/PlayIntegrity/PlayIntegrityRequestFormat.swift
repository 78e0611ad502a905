import AssayCore
import PlayIntegrity

/// A saved request with a standard token as its signature.
enum PlayIntegrityRequestFormat: BlobFormat {
    static let name = "HTTP request with a standard integrity token"

    private static let request = EvidenceRequest(
        tag: PlayIntegrityConfiguration.engine,
        evidence: "a standard integrity token, whose requestHash is base64url of SHA-256 of the signature base",
        format: nil,
        unknown:
            "what the token says: only Google can open it; `assay verify --kind play-integrity.request` has it opened")

    static func recognise(_ bytes: [UInt8]) -> Recognition? { request.recognise(bytes) }
    static func annotate(_ bytes: [UInt8]) -> BlobContents { request.annotate(bytes) }
    static func violation(in bytes: [UInt8]) -> DecodeError? { EvidenceRequest.violation(in: bytes) }
}
