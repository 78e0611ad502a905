import Assay
import AssayPrimitives
import FoundationEssentials
import HTTPTypes

/// `/v1/admin/policy`: what `assay policy` does, for the policy of the service.
extension Administration {
    var policyEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/admin/policy", .administration(.read), "policy",
                "The policy in force with all defaults, as `policy show` prints it.",
                content: ["application/yaml": "{}"]
            ) { (served) async throws(Problem) in
                try await served.requireNoQuery()
                return .text(state.policyText, .ok, [.contentType: "application/yaml"])
            },
            Endpoint(
                .post, "/v1/admin/policy/check", .administration(.administer), "checkPolicy",
                "The errors and warnings of a policy, as `policy check` prints them.",
                body: ["application/yaml": .string()], checkPolicy),
            Endpoint(
                .post, "/v1/admin/policy/reload", .administration(.administer), "reloadPolicy",
                "Reads the policy and the TLS files again. What cannot be used changes nothing.", problems: [422]
            ) { (served) async throws(Problem) in
                try await served.requireNoQuery()
                try await reload(served.calledBy?.name ?? "")
                let notes = state.verifier.policy.notes.map { JSONText.string("\($0)") }
                return .json(#"{"notes":\#(JSONText.array(notes))}"#)
            },
        ]
    }

    /// Reviews the text of a body as if it stood in the policy's file, to which its paths are relative.
    private func checkPolicy(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        try await served.requireNoQuery()
        guard served.request.mediaType == "application/yaml" else {
            throw Problem.mediaType(served.request.mediaType, "application/yaml")
        }
        let bytes = try await served.wholeBody(
            upTo: InputLimits.policy, within: configuration.limits.bodyTime)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.badRequest, .unreadableRequest, "the policy is not UTF-8 text")
        }
        let path = configuration.policy
        let review = await work.run { PolicyReview(text: text, path: path, engines: .standard, at: Date()) }
        let findings = review.findings.map { WrittenJSON($0.json) }
        let (errors, warnings) = (review.count(.error), review.count(.warning))
        return .json(JSONObject(["errors": errors, "warnings": warnings, "findings": findings]).text)
    }
}
