import Assay
import AssayCore
import AssayHTTP
import CoreMetrics
import Foundation
import Logging

/// Reads the policy and the files of TLS again while the service runs.
struct PolicyReloading: Sendable {
    /// Reads policies, one after the other.
    let work = SerialWork()
    private let configuration: ServiceConfiguration
    private let dependencies: ServiceDependencies
    private let state: ServiceState
    private let certificates: [TLSFiles]
    private let gauges: PolicyGauges
    private let logger: Logger

    /// - Parameter certificates: the files of all listeners with TLS.
    init(
        configuration: ServiceConfiguration, dependencies: ServiceDependencies, state: ServiceState,
        certificates: [TLSFiles],
        logger: Logger
    ) {
        (self.configuration, self.dependencies) = (configuration, dependencies)
        (self.state, self.certificates) = (state, certificates)
        gauges = PolicyGauges(dependencies.metrics)
        self.logger = logger
        for outcome in Outcome.allCases { _ = counter(outcome) }
    }

    private enum Outcome: String, CaseIterable {
        case success
        case failure
    }

    private func counter(_ outcome: Outcome) -> Counter {
        Counter(
            label: MetricName.reloads.rawValue, dimensions: [("outcome", outcome.rawValue)],
            factory: dependencies.metrics)
    }

    /// Whether the file has the policy in force. False for a file that cannot be read: reading it again logs why.
    var isPolicyOfFile: Bool {
        guard let text = try? PolicyFile.text(of: configuration.policy) else { return false }
        return PolicyReport.PolicyText.digest(of: text) == state.present.digest
    }

    /// Shows which policy is in force.
    func show(_ policy: PolicyReport.PolicyText, of verifier: Verifier) {
        gauges.show(policy.digest, apps: verifier.policy.apps.count)
    }

    /// Reads the policy and the files of TLS again, and logs what happened.
    ///
    /// - Parameter operatorName: who asked for it; nil for a signal and for changed files.
    func run(because cause: String, by operatorName: String? = nil) async throws {
        let report = try await work.run { try reloadNow(because: cause) }
        await warnWithoutKeys(state.verifier)
        await report.record(
            in: dependencies.ledger, by: operatorName, because: cause, at: Date(), logger, dependencies.metrics)
    }

    private func reloadNow(because cause: String) throws -> PolicyReport {
        dependencies.process.beginReload()
        defer { dependencies.process.endReload() }
        do {
            let read = try ServicePolicy(configuration.policy)
            let (verifier, policy) = (dependencies.verifier(of: read.policy), read.text)
            try configuration.requireOrigins(for: verifier)
            let report = try PolicyReport(from: state.present, to: policy)
            if configuration.policyGuard == .refuseWeaker, let weaknesses = report.weaknesses {
                throw PolicyError(
                    file: configuration.policy, field: "",
                    "policy.guard is refuse-weaker, and the policy may accept more than the one in force: \(weaknesses); correct the file, or restart the service to bring it into force"
                )
            }
            try requireKeys(report.newKeys, of: verifier)
            // All is read before anything is exchanged: a reload never takes effect in part.
            let pairs = try certificates.map { (files: $0, pair: try $0.read()) }
            try state.exchange(for: verifier, policy: policy)
            for (files, pair) in pairs { files.use(pair) }
            for note in verifier.policy.notes {
                logger.warning("policy names something unknown", metadata: ["assay.problem": "\(note)"])
            }
            warn(of: verifier)
            counter(.success).increment()
            report.count(dependencies.metrics)
            show(policy, of: verifier)
            logger.notice(
                "reloaded",
                metadata: ["assay.cause": "\(cause)", "assay.policy": "\(configuration.policy)"].merging(
                    report.metadata
                ) { $1 })
            report.warn(logger)
            return report
        } catch {
            counter(.failure).increment()
            logger.error(
                "reload failed: the policy and certificates before stay in use",
                metadata: [
                    "assay.cause": "\(cause)", "assay.problem": "\(error)", "assay.policy": "\(configuration.policy)",
                ])
            throw error
        }
    }

    /// Refuses a policy that brings in the name of a key that does not exist: it is mistyped, or the key must be added first.
    private func requireKeys(_ names: [String], of verifier: Verifier) throws(PolicyError) {
        guard !names.isEmpty,
            let unknown = SerialWork.waiting(for: { await verifier.unknownKeys(among: names) }), !unknown.isEmpty
        else { return }
        throw PolicyError(
            file: configuration.policy, field: "",
            "neither the policy nor the key store has a key named \(unknown.map(\.excerpt).joined(separator: ", ")); correct the name; or add the key, and reload again with SIGHUP or assay policy reload"
                + (dependencies.keyStores.isEmpty ? " (the keys in the ledger are not used: masterKey is not set)" : "")
        )
    }

    /// The apps without a key that may be used now. Keys of tokens are made when the service needs them.
    private static func keyless(
        _ verifier: Verifier
    ) async -> [(app: String, kind: EvidenceKind, problem: RequestError)] {
        await verifier.appsWithoutKey { $1 != .assayToken }
    }

    /// Warns of apps without a key. They may get one in the key store.
    func warnWithoutKeys(_ verifier: Verifier) async {
        let advice =
            dependencies.keyStores.isEmpty
            ? "; the keys in the ledger are not used: set masterKey, if they are meant" : ""
        for (_, _, problem) in await Self.keyless(verifier) {
            logger.warning("no key for an app", metadata: ["assay.problem": "\(problem.description)\(advice)"])
        }
    }

    /// Warns of what is weaker than necessary by what is in force: the policy, and the services that the configuration gives.
    func warn(of verifier: Verifier) {
        for warning in verifier.warnings {
            logger.warning("weak setting in force", metadata: ["assay.problem": "\(warning)"])
        }
    }
}
