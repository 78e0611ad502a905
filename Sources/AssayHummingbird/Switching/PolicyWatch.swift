public import Assay
public import AssayCore
import AssayHTTPSignatures
import Foundation
public import Logging
public import ServiceLifecycle

/// Reloads the policy file when it changes and on SIGHUP.
///
/// An unusable file is logged as an error and changes nothing. The same holds for a policy that rejects requests and
/// has no live key for an app in use: every request would fail. Files that the policy names, such as secrets, are read
/// together with it. After changing only such a file, send SIGHUP or touch the policy.
///
///     let watch = PolicyWatch(path: "policy.yaml", live: live, logger: logger) { policy in
///         Verifier(policy: policy, ledger: ledger)
///     }
///     let app = Application(router: router, services: [watch], logger: logger)
public struct PolicyWatch: Service {
    private let path: String
    private let live: LiveVerifier
    private let interval: Duration
    private let logger: Logger
    private let makeVerifier: @Sendable (VerificationPolicy) async throws -> Verifier

    /// Prepares a watch.
    ///
    /// - Parameters:
    ///   - path: the policy file.
    ///   - live: receives the new verifiers.
    ///   - interval: the time between looks at the file.
    ///   - logger: logs a notice for every policy, and an error for an unusable one.
    ///   - makeVerifier: creates the verifier of a policy, with the same ledger and key stores.
    public init(
        path: String, live: LiveVerifier, interval: Duration = .seconds(2), logger: Logger,
        makeVerifier: @escaping @Sendable (VerificationPolicy) async throws -> Verifier
    ) {
        self.path = path
        self.live = live
        self.interval = interval
        self.logger = logger
        self.makeVerifier = makeVerifier
    }

    /// Watches until the server shuts down.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await FileWatch([path], interval: interval).run { await reload(because: $0) }
        }
    }

    /// Refuses a policy under which every request would fail: one that rejects, with an app without a live key. A
    /// policy that does not reject is accepted, because it may be the emergency switch.
    private func requireKeys(of verifier: Verifier) async throws(RequestError) {
        for app in verifier.policy.apps {
            for (rules, _) in verifier.requestEvidence(of: app)
            where rules.enforcement == .reject && live.isInUse(app.name, rules.kind) {
                do throws(VerificationError) {
                    // Looks up the keys first. The request without evidence is rejected and changes nothing.
                    _ = try await verifier.assessNothing(of: rules.kind, app: app.name, at: Date())
                } catch {
                    // In an outage the keys are unknown.
                    if case .request(let problem) = error { throw problem }
                }
            }
        }
    }

    private func reload(because cause: FileWatch.Cause) async {
        let metadata: Logger.Metadata = ["assay.policy": "\(path)", "assay.cause": "\(cause.rawValue)"]
        do {
            let policy = try PolicyFile.load(path: path)
            let verifier = try await makeVerifier(policy)
            try await requireKeys(of: verifier)
            try live.exchange(for: verifier)
            for note in policy.notes {
                logger.warning("policy names something unknown", metadata: ["assay.problem": "\(note)"])
            }
            logger.notice("policy in force", metadata: metadata)
        } catch {
            logger.error(
                "policy cannot be used, and the one before stays in force",
                metadata: metadata.merging(["assay.problem": "\(error)"]) { $1 })
        }
    }
}
