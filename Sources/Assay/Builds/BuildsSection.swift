import AndroidKey
package import AssayCore
import AssayPrimitives
import FoundationEssentials

/// Compares the builds that evidence states with those that operators have admitted.
package struct BuildsSection: PolicySection {
    package typealias Configuration = BuildsConfiguration

    package static let catalogue = BuildChecks.catalogue

    private struct Rules: Sendable {
        let app: String
        let configuration: BuildsConfiguration.Values
        /// The packages of the app's Android keys.
        let packages: [String]
        let modes: CheckModes
    }

    private let rules: [Rules]
    private let use: VerdictUse
    /// Follows the register; nil if the ledger has no documents.
    let watch: LedgerRegisterWatch<AdmittedBuilds>?

    /// Prepares the checks for the apps of a policy with `builds`.
    init(policy: VerificationPolicy, documents: (any LedgerDocuments)?, use: VerdictUse) {
        rules = policy.apps.compactMap { app in
            guard let values = app.configuration(BuildsConfiguration.self)?.values, values.rule != .off else {
                return nil
            }
            return Rules(
                app: app.name, configuration: values,
                packages: app.configuration(AndroidKeyConfiguration.self)?.packages ?? [],
                modes: CheckModes(policy.modes(of: app)))
        }
        self.use = use
        watch = rules.isEmpty ? nil : documents.map { LedgerRegisterWatch($0) }
    }

    /// Whether an app compares builds.
    var isNeeded: Bool { !rules.isEmpty }

    /// Adds the result about the build to an assessment, if the policy's app compares builds and the kind of evidence states them.
    ///
    /// - Parameters:
    ///   - account: the account that the caller names.
    ///   - count: counts an outage during which the state that was read last stays in force.
    /// - Throws: `.outage` if the register was never read.
    func complete(
        _ assessment: Assessment, account: String?, ledger: any Ledger, at now: Date,
        counting count: (any Outage) -> Void
    ) async throws(VerificationError) -> Assessment {
        guard let check = BuildChecks.check(of: assessment.evidenceKind),
            let rules = rules.first(where: { assessment.app?.isByteEqual(to: $0.app) == true })
        else { return assessment }
        var run = CheckRun(modes: rules.modes, capacity: 1)
        if let gate = assessment.checks.lazy.compactMap({ Self.gate(of: $0) }).first {
            run.add(.skipped(check, because: .check(gate)))
        } else {
            let finding = try await finding(assessment, rules, at: now, counting: count)
            if finding != nil, rules.modes[check] != .off {
                run.allow(try await assessment.standings(account, in: ledger, at: now))
            }
            run.policy(check) { () throws(CheckFailure) in try finding?.answer() ?? .passed }
        }
        return assessment.adding(run.results, of: Self.catalogue, effect: nil, bits: nil)
    }

    /// The failed check because of which another one did not run.
    private static func gate(of result: CheckResult) -> CheckID? {
        if case .check(let gate)? = result.because { gate } else { nil }
    }

    /// What becomes of a build.
    private enum Found {
        case rejected(Finding)
        case annotated(Finding)
        case notApplicable(Finding)

        func answer() throws(CheckFailure) -> PolicyAnswer {
            switch self {
            case .rejected(let finding): throw CheckFailure(finding)
            case .annotated(let finding): .annotated(finding)
            case .notApplicable(let finding): .notApplicable(finding)
            }
        }
    }

    /// Why a build is not admitted; nil if all are.
    private func finding(
        _ assessment: Assessment, _ rules: Rules, at now: Date, counting count: (any Outage) -> Void
    ) async throws(VerificationError) -> Found? {
        let stated = BuildChecks.Stated(
            assessment.subject?.carried?.subject ?? assessment.subject, packages: rules.packages)
        guard !stated.builds.isEmpty else {
            let finding = Finding(.buildUnstated, "the evidence states no build of the app")
            return switch rules.configuration.unstated {
            case .accept: .notApplicable(finding)
            case .annotate: .annotated(finding)
            case .reject: rules.configuration.rule == .annotate ? .annotated(finding) : .rejected(finding)
            }
        }
        let state = try await state(counting: count)
        if state.revision == 0, use == .analysis {
            return .notApplicable(Finding(.buildsUnknown, "the ledger of the analysis has no register of builds"))
        }
        for (platform, app, version) in stated.builds {
            let admissions = (state.content?.admissions(platform, app, version) ?? [])
                .filter { $0.build.certificate.map(stated.certificates.contains) ?? true }
            if admissions.contains(where: { $0.isInForce(at: now) }) { continue }
            let text = "\(platform.rawValue):\(app.excerpt)@\(version.excerpt)"
            let finding =
                admissions.compactMap(\.until).max().map { end in
                    Finding(.buildEnded, "the admission of the build \(text) ended at \(RFC3339.format(end))")
                } ?? Finding(.buildNotAdmitted, "the build \(text) is not among the admitted builds of the ledger")
            return rules.configuration.rule == .annotate ? .annotated(finding) : .rejected(finding)
        }
        return nil
    }

    private func state(
        counting count: (any Outage) -> Void
    ) async throws(VerificationError) -> LedgerRegisterWatch<AdmittedBuilds>.State {
        guard let watch else {
            throw .request(
                RequestError(
                    .noService, "the policy compares builds, and the ledger keeps no documents, and so no builds"))
        }
        let former = watch.state.failures
        do throws(LedgerOutage) {
            let state = try await watch.current()
            if state.failures > former, let outage = state.outage { count(outage) }
            return state
        } catch {
            throw .outage(error)
        }
    }
}
