import Assay
import Foundation
public import ServiceLifecycle

/// Keeps the metrics of a server's verifier up to date, and closes its ledger after the last request.
///
///     let upkeep = VerifierUpkeep(live) { try await ledger.close() }
///
/// Put it first among the services of the server: a `ServiceGroup` ends them in the reverse order, so that the ledger is open
/// while requests are answered.
public struct VerifierUpkeep: Service {
    private let verifier: ReloadableVerifier
    private let interval: Duration
    private let close: @Sendable () async throws -> Void

    /// Prepares the upkeep of a verifier.
    ///
    /// - Parameters:
    ///   - verifier: the verifier in force is that of each time.
    ///   - interval: the time between calls of `Verifier.refreshMetrics(at:)`.
    ///   - close: called once when the server shuts down. Its error is that of ``run()``.
    public init(
        _ verifier: ReloadableVerifier, interval: Duration = .seconds(60),
        closing close: @escaping @Sendable () async throws -> Void
    ) {
        (self.verifier, self.interval, self.close) = (verifier, interval, close)
    }

    /// Refreshes the metrics until the server shuts down, and then closes the ledger.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                await verifier.verifier.refreshMetrics(at: Date())
            } while (try? await Task.sleep(for: interval)) != nil
        }
        try await close()
    }
}
