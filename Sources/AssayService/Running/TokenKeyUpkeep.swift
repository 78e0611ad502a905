import Assay
import AssayCore
import AssayTokens
import Foundation
import Logging

/// The keys of tokens while the service runs.
struct TokenKeyUpkeep: Sendable {
    /// How often the service looks whether a key is due.
    private static let interval = Duration.seconds(30)

    let dependencies: ServiceDependencies
    let state: ServiceState
    let logger: Logger

    /// Warns if the policy has tokens, and no request for one can succeed.
    func warnWithoutTokenKeys() async {
        guard dependencies.keyStore == nil, state.verifier.tokenRules != nil else { return }
        do throws(VerificationError) { _ = try await state.verifier.tokenKeys(at: Date()) } catch {
            guard case .request = error else { return }
            logger.warning(
                "no key for tokens",
                metadata: [
                    "assay.problem":
                        "the policy has tokens, and there is no key to sign them: set masterKey, with which the service opens the keys in the ledger"
                ])
        }
    }

    /// Makes the keys of tokens when they are due, while the policy has `tokens`.
    func run() async {
        guard let store = dependencies.keyStore else { return }
        while !Task.isCancelled {
            if state.verifier.tokenRules != nil {
                do throws(KeyStoreFailure) {
                    for name in try await TokenKeyRotation(store).run(at: Date()) {
                        logger.notice("token key made", metadata: ["assay.key": "\(name)"])
                    }
                } catch {
                    if case .outage(let outage) = error { dependencies.metrics.count(outage) }
                    logger.error("token keys not rotated", metadata: ["assay.problem": "\(error.description)"])
                }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }
}
