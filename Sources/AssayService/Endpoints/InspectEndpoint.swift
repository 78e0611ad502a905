import Assay
import AssayInspection
import HTTPTypes

/// `POST /v1/inspect`: says what a blob is, as `assay inspect --json` does. Verifies nothing.
struct InspectEndpoint: Sendable {
    /// The most bytes of a blob. The answer can be ten times as long, and takes eighty times the memory; attestations have up to
    /// 64 KiB.
    static let bodyLimit = 256 << 10

    static let path = "/v1/inspect"

    let configuration: ServiceConfiguration

    var endpoint: Endpoint {
        let limits = configuration.limits
        let limit = min(limits.body, Self.bodyLimit)
        return Endpoint(
            .post, Self.path, .right(.verify), "inspect",
            "Says what a blob of at most \(limit) bytes is, and decodes it. Verifies nothing.",
            body: ["application/octet-stream": "{}"], isBodyRequired: false,
            outcome: "What `assay inspect --json` prints.",
            content: .json([
                "name": .string(), "format": #"{"type":["string","null"]}"#, "length": #"{"type":"integer"}"#,
            ])
        ) { (served) async throws(Problem) in
            let bytes = try await served.wholeBody(upTo: limit, within: limits.bodyTime)
            return .json(InspectionJSON.text(Verifier.inspector.inspect(bytes, name: "body"), verdicts: nil))
        }
    }
}
