public import Assay
public import AssayCore
import CoreMetrics
import Foundation
public import Logging
public import ServiceLifecycle

/// Reloads the policy file when it changes and on SIGHUP.
///
/// An unusable file is logged as an error and changes nothing. The same holds for a policy that rejects requests and
/// has no live key for an app in use: every request would fail. Files that the policy names, such as secrets, are read
/// together with it. After changing only such a file, send SIGHUP or touch the policy.
///
/// What a new policy changes is in the log, in `assay_policy_changes_total`, and in the audit trail of the verifier's ledger. A policy
/// that may accept more than the one before, such as one whose file was cut, is a warning of the log.
///
///     let watch = PolicyWatch(path: "policy.yaml", verifier: live, logger: logger) { policy in
///         Verifier(policy: policy, ledger: ledger)
///     }
///
/// Add it to the services of the server, such as those of a Hummingbird `Application`, or call ``run()`` in a task.
public struct PolicyWatch: Service {
    private let path: String
    private let verifier: ReloadableVerifier
    private let interval: Duration
    private let logger: Logger
    private let makeVerifier: @Sendable (VerificationPolicy) async throws -> Verifier

    /// Prepares a watch.
    ///
    /// - Parameters:
    ///   - path: the policy file.
    ///   - verifier: receives the new verifiers.
    ///   - interval: the time between looks at the file.
    ///   - logger: logs a notice for every policy, and an error for an unusable one.
    ///   - makeVerifier: creates the verifier of a policy, with the same ledger and key stores.
    public init(
        path: String, verifier: ReloadableVerifier, interval: Duration = .seconds(2), logger: Logger,
        makeVerifier: @escaping @Sendable (VerificationPolicy) async throws -> Verifier
    ) {
        (self.path, self.verifier, self.interval) = (path, verifier, interval)
        (self.logger, self.makeVerifier) = (logger, makeVerifier)
    }

    /// Watches until the server shuts down.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var present: PolicyReport.PolicyText?
            await FileWatch([path], interval: interval).run { present = await reload(because: $0, after: present) }
        }
    }

    /// Refuses a policy under which every request would fail: one that rejects, with an app without a live key. A
    /// policy that does not reject is accepted, because it may be the emergency switch.
    private func requireKeys(of verifier: Verifier) async throws(RequestError) {
        if let first = await verifier.appsWithoutKey(where: { self.verifier.isInUse($0, $1) }).first {
            throw first.problem
        }
    }

    /// - Returns: the policy in force afterwards; nil if it was not read from the file.
    private func reload(
        because cause: FileWatch.Cause, after former: PolicyReport.PolicyText?
    ) async -> PolicyReport.PolicyText? {
        var metadata: Logger.Metadata = ["assay.policy": "\(path)", "assay.cause": "\(cause.rawValue)"]
        do {
            let text = try PolicyFile.text(of: path)
            let (policy, effective) = try PolicyFile.policyInForce(of: text, path: path, engines: .standard)
            let present = PolicyReport.PolicyText(text, effective: effective)
            let report = try former.map { (former) throws(PolicyError) in try PolicyReport(from: former, to: present) }
            let verifier = try await makeVerifier(policy)
            try await requireKeys(of: verifier)
            try self.verifier.exchange(for: verifier)
            for note in policy.notes {
                logger.warning("policy names something unknown", metadata: ["assay.problem": "\(note)"])
            }
            if let report { metadata.merge(report.metadata) { $1 } }
            logger.notice("policy in force", metadata: metadata)
            report?.warn(logger)
            report?.count(MetricsSystem.factory)
            await report?.record(
                in: verifier.ledger, by: nil, because: cause.rawValue, at: Date(), logger, MetricsSystem.factory)
            return present
        } catch {
            logger.error(
                "policy cannot be used, and the one before stays in force",
                metadata: metadata.merging(["assay.problem": "\(error)"]) { $1 })
            return former
        }
    }
}

extension Verifier {
    /// The apps that reject requests without evidence, and have no key that may be used now for it.
    ///
    /// - Parameter isInUse: whether evidence of a kind is demanded of requests to an app.
    /// - Returns: each with the error that a request would meet. In an outage the keys are unknown, and no app is named.
    package func appsWithoutKey(
        where isInUse: (String, EvidenceKind) -> Bool
    ) async -> [(app: String, kind: EvidenceKind, problem: RequestError)] {
        var found: [(app: String, kind: EvidenceKind, problem: RequestError)] = []
        for app in policy.apps {
            for (rules, engine) in requestEvidence(of: app)
            where rules.enforcement == .reject && isInUse(app.name, rules.kind) {
                do throws(VerificationError) {
                    // Looks up the keys first. The request without evidence is rejected and changes nothing.
                    _ = try await assessNothing(rules.scope, with: engine, app: app.name, at: Date())
                } catch {
                    if case .request(let problem) = error { found.append((app.name, rules.kind, problem)) }
                }
            }
        }
        return found
    }
}
