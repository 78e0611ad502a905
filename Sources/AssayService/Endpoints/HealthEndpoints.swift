import HTTPTypes

/// `/livez`, `/readyz` and `/healthz`, which need no token on any address: load balancers and kubelets have none.
struct HealthEndpoints: Sendable {
    let state: ServiceState
    let proof: ServiceReadiness
    let configuration: ServiceConfiguration
    /// Whether only programs of this machine can ask. Others learn the code of a problem, and the log has the rest.
    let isLocal: Bool

    static let paths: Set = ["/livez", "/readyz", "/healthz"]

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/livez", .all, "livez", "Answers while the process does.") { (_) throws(Problem) in
                .json(#"{"status":"ok"}"#)
            },
            Endpoint(.get, "/readyz", .all, "readyz", "Whether load balancers should send requests.", health),
            Endpoint(.get, "/healthz", .all, "healthz", "As readyz.", health),
        ]
    }

    private func health(_: inout ServiceRequest) async throws(Problem) -> Response {
        do throws(Problem) { return try await readiness() } catch {
            guard !isLocal else { throw error }
            var problem = Problem(error.status, error.code, "the service is not ready: its log says why")
            problem.headers = error.headers
            problem.logDetail = error.detail
            throw problem
        }
    }

    /// Ready while both listeners accept connections, writes to the ledger become durable and the key stores answer; not after
    /// SIGTERM.
    private func readiness() async throws(Problem) -> Response {
        guard state.isReady else {
            throw Problem(.serviceUnavailable, .notReady, "the service starts or stops")
        }
        if let outage = await proof.outage() { throw Problem(outage, retryAfter: configuration.retryAfter) }
        return .json(#"{"status":"ok"}"#)
    }
}
