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

    /// Why apps get no configuration with their tokens, each reason once; nil if none is without.
    private func configurationProblem() async -> String? {
        let verifier = state.verifier
        var problems: [String] = []
        for app in verifier.configuredApps {
            do throws(AppConfigurationError) { _ = try await verifier.configuration(of: app, at: Date()) } catch {
                if !problems.contains(error.description) { problems.append(error.description) }
            }
        }
        return problems.isEmpty ? nil : problems.joined(separator: "; ")
    }

    /// Makes the keys of tokens when they are due, while the policy has `tokens`, and logs why apps get no configuration.
    func run() async {
        var configurationProblem: String?
        while !Task.isCancelled {
            if let store = dependencies.keyStore, state.verifier.tokenRules != nil {
                do throws(KeyStoreFailure) {
                    for name in try await TokenKeyRotation(store).run(at: Date()) {
                        logger.notice("token key made", metadata: ["assay.key": "\(name)"])
                    }
                    if !state.verifier.configuredApps.isEmpty,
                        let name = try await TokenKeyRotation(store).makeConfigurationKey(at: Date())
                    {
                        logger.notice("configuration key made", metadata: ["assay.key": "\(name)"])
                    }
                } catch {
                    if case .outage(let outage) = error { dependencies.metrics.count(outage) }
                    logger.error("token keys not rotated", metadata: ["assay.problem": "\(error.description)"])
                }
            }
            let problem = await self.configurationProblem()
            if let problem, problem != configurationProblem {
                logger.warning("apps get no configuration", metadata: ["assay.problem": "\(problem)"])
            } else if problem == nil, configurationProblem != nil {
                logger.notice("apps get their configuration again")
            }
            configurationProblem = problem
            try? await Task.sleep(for: Self.interval)
        }
    }
}
