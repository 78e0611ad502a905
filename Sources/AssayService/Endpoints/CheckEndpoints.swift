import Assay
import AssayCore
import Hummingbird

/// `GET /v1/checks` and `/v1/checks/{name}`: what `assay explain --json` says.
enum CheckEndpoints {
    static let endpoints = [
        Endpoint(.get, "/v1/checks", .all) { (_) throws(Problem) in
            .json(JSONText.array(Verifier.catalogue.map(\.json)))
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
