import Assay
import AssayCore
import AssayInspection
import Hummingbird

/// `POST /v1/inspect`: says what a blob is, as `assay inspect --json` does. Verifies nothing.
struct InspectEndpoint: Sendable {
    let configuration: ServiceConfiguration

    var endpoint: Endpoint {
        Endpoint(.post, "/v1/inspect", .right(.verify)) { (served) async throws(Problem) in
            let limits = configuration.limits
            let bytes = try await served.wholeBody(upTo: limits.body, within: limits.bodyTime)
            return .json(InspectionJSON.text(Verifier.inspector.inspect(bytes, name: "body"), verdicts: nil))
        }
    }
}
