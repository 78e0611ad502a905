import Assay
import AssayCore
import FoundationEssentials
import HTTPTypes
import Hummingbird

/// `/livez`, `/readyz` and `/healthz`. On loopback addresses and unix sockets they need no token.
struct HealthEndpoints: Sendable {
    let live: LiveService
    let parts: ServiceParts
    let configuration: ServiceConfiguration

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/livez", .right(.read)) { (_) throws(Problem) in .json(#"{"status":"ok"}"#) },
            Endpoint(.get, "/readyz", .right(.read)) { (_) async throws(Problem) in try await readiness() },
            Endpoint(.get, "/healthz", .right(.read)) { (_) async throws(Problem) in try await readiness() },
        ]
    }

    /// Ready while both listeners accept connections, the ledger takes writes and the key stores answer; not after SIGTERM.
    private func readiness() async throws(Problem) -> Response {
        guard live.isReady else {
            throw Problem(.serviceUnavailable, .notReady, "the service starts or stops")
        }
        do throws(LedgerOutage) {
            // Begins a write, which a locked or read-only ledger refuses, and changes nothing.
            _ = try await parts.ledger.commit([], at: Date())
        } catch {
            throw Problem(error, retryAfter: configuration.retryAfter)
        }
        for store in parts.keyStores {
            do throws(KeyStoreOutage) {
                for material in EngineRegistry.standard.keyMaterials { _ = try await store.keys(for: material.purpose) }
            } catch {
                throw Problem(error, retryAfter: configuration.retryAfter)
            }
        }
        return .json(#"{"status":"ok"}"#)
    }
}
