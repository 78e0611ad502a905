import Assay
import AssayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /v1/checks` and `/v1/checks/{name}`: what `assay explain --json` says.
enum CheckEndpoints {
    /// All checks. Shared by all answers: otherwise slow clients without a token could fill memory with copies.
    private static let all = ByteBuffer(string: JSONText.array(Verifier.catalogue.map(\.json)) + "\n")

    static let endpoints = [
        Endpoint(.get, "/v1/checks", .all) { (_) throws(Problem) in
            Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: all))
        },
        Endpoint(.get, "/v1/checks/{name}", .all) { (served) throws(Problem) in
            let name = String(served.segment)
            if let check = Verifier.catalogue.first(where: { $0.id.name.isByteEqual(to: name) }) {
                return .json(JSONText.array([check.json]))
            }
            let uses = CodeUse.all(of: name, in: Verifier.catalogue)
            guard !uses.isEmpty else {
                let names = Verifier.catalogue.map(\.id.name) + Verifier.catalogue.flatMap { $0.codes.map(\.name) }
                throw Problem(
                    .notFound, .unknownCheck,
                    "there is no check or code \(name.excerpt)" + Nearest.advice(for: name, among: names))
            }
            return .json(JSONText.array(uses.map(\.json)))
        },
    ]
}
