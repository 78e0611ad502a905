import Assay
import AssayCore
import HTTPTypes
import NIOCore

/// `GET /v1/checks` and `/v1/checks/{name}`: what `assay explain --json` says.
enum CheckEndpoints {
    /// All checks. Shared by all answers: otherwise slow clients without a token could fill memory with copies.
    private static let all = ByteBuffer(string: JSONText.array(Verifier.catalogue.map(\.json)) + "\n")

    private static let names =
        Verifier.catalogue.map(\.id.name) + Verifier.catalogue.flatMap { $0.codes.map(\.name) }
        + OutageExplanation.all.map(\.code.name)

    static let endpoints = [
        Endpoint(
            .get, "/v1/checks", .all, "checks",
            "Every check: what it proves, what it stops, what to look at, and its codes.",
            outcome: "What `assay explain --json` prints, as an array.", content: .json(.objects)
        ) { (_) throws(Problem) in .bytes(all, .ok, [.contentType: "application/json"]) },
        Endpoint(
            .get, "/v1/checks/{name}", .all, "check", "One check, or the checks that report a code.",
            parameters: [
                """
                {"name":"name","in":"path","required":true,"schema":{"type":"string","minLength":1},
                "examples":{"check":{"value":"app-attest.attestation.nonce"},"code":{"value":"challenge-expired"}}}
                """
            ],
            outcome: "The check, or the uses of the code.", content: .json(.objects), problems: [400, 404]
        ) { (served) throws(Problem) in
            let name = String(served.segment)
            if let check = Verifier.catalogue.first(where: { $0.id.name.isByteEqual(to: name) }) {
                return .json(JSONText.array([check.json]))
            }
            let uses = CodeUse.all(of: name, in: Verifier.catalogue)
            if uses.isEmpty, let outage = OutageExplanation.of(name) { return .json(JSONText.array([outage.json])) }
            guard !uses.isEmpty else {
                throw Problem(
                    .notFound, .unknownCheck,
                    "there is no check or code \(name.excerpt)" + Nearest.advice(for: name, among: names))
            }
            return .json(JSONText.array(uses.map(\.json)))
        },
    ]
}
