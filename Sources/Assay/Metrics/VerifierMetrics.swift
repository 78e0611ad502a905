import AssayCore
import CoreMetrics
import FoundationEssentials
import Synchronization

/// What a verifier counts, through swift-metrics. All metrics with labels from the policy and the catalogue are made once for each
/// verifier, so that a verdict looks up no label.
final class VerifierMetrics: Sendable {
    /// The metrics of an app. A class, as is that of a kind: a look-up counts one reference.
    private final class AppMetrics: Sendable {
        let name: String
        /// The beginning of the hash of a device of this app.
        let sighting: SightingHash
        let kinds: [KindMetrics]

        init(_ name: String, _ kinds: [KindMetrics]) {
            self.name = name
            self.kinds = kinds
            var hash = SightingHash()
            hash.combine(name)
            sighting = hash
        }
    }

    /// The metrics of one kind of evidence of an app.
    private final class KindMetrics: Sendable {
        let kind: EvidenceKind
        let accepted: Counter
        let rejected: Counter
        let verification: CoreMetrics.Timer
        /// Nil for a kind without challenges of the ledger.
        let challenges: (issued: Counter, used: Counter, expired: Counter)?

        init(
            _ kind: EvidenceKind, app: String, _ verification: CoreMetrics.Timer, hasChallenges: Bool,
            _ factory: any MetricsFactory
        ) {
            func challenges(_ event: String) -> Counter { Counter(.challenges, [app, kind.name, event], factory) }
            self.kind = kind
            self.verification = verification
            accepted = Counter(.verdicts, [app, kind.name, "accept"], factory)
            rejected = Counter(.verdicts, [app, kind.name, "reject"], factory)
            self.challenges = hasChallenges ? (challenges("issued"), challenges("used"), challenges("expired")) : nil
        }
    }

    /// The metrics of one code of a check.
    private struct CodeMetrics: Sendable {
        let code: String
        let failed: Counter
        let annotated: Counter
    }

    /// An error, whose code a ledger or a service may have added.
    private struct ErrorLabels: Hashable {
        let metric: MetricName
        let part: String
        let code: String
    }

    /// Policies with at most so many apps are searched without a hash of the name.
    private static let fewApps = 8
    private let apps: [AppMetrics]
    private let appsByName: [String: AppMetrics]
    /// For evidence that no app could decode.
    private let unknown: AppMetrics
    private let checks: [CheckID: [CodeMetrics]]
    private let distinct: [(app: String, meters: [Meter])]
    private let errors = Mutex<[ErrorLabels: Counter]>([:])
    private let keyEnds = Mutex<[[String]: Meter]>([:])
    private let factory: any MetricsFactory
    private let devices: DistinctDevices

    /// Makes the metrics of a policy; nil if the process has no backend for metrics.
    init?(_ policy: VerificationPolicy, _ registry: EngineRegistry, devices: DistinctDevices) {
        let factory = MetricsSystem.factory
        guard !(factory is NOOPMetricsHandler) else { return nil }
        self.factory = factory
        self.devices = devices
        let timers = Dictionary(
            registry.kinds.map { kind in
                (kind, Timer(.verification, [kind.name], factory))
            }, uniquingKeysWith: { first, _ in first })
        func metrics(_ app: String, _ kinds: [EvidenceKind]) -> AppMetrics {
            AppMetrics(
                app,
                kinds.compactMap { kind in
                    timers[kind].map {
                        KindMetrics(
                            kind, app: app, $0, hasChallenges: registry.challengeKinds.contains(kind), factory)
                    }
                })
        }
        apps = policy.apps.map { app in
            metrics(app.name, registry.engines.filter { $0.judges(app) }.flatMap { $0.kinds })
        }
        appsByName = Dictionary(apps.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        unknown = metrics("", registry.kinds)
        checks = Dictionary(
            registry.catalogue.map { definition in
                let codes = definition.codes.map { code in
                    CodeMetrics(
                        code: code.name, failed: Counter(.checks, [definition.id.name, "failed", code.name], factory),
                        annotated: Counter(.checks, [definition.id.name, "annotated", code.name], factory))
                }
                return (definition.id, codes)
            }, uniquingKeysWith: { first, _ in first })
        distinct = policy.apps.map { app in
            (app.name, DevicePeriods.names.map { Meter(.distinctDevices, [app.name, $0], factory) })
        }
        // An alert sees an increase only of a series that was there before.
        for labels in Self.commonErrors { count(labels, by: 0) }
    }

    private func app(_ name: String?) -> AppMetrics {
        guard let name else { return unknown }
        guard apps.count <= Self.fewApps else { return appsByName[name] ?? unknown }
        for app in apps where app.name == name { return app }
        return unknown
    }

    /// Counts a verdict.
    ///
    /// - Parameters:
    ///   - assessment: what the verdict was made of.
    ///   - start: when the verification began; nil if it did not run in one piece.
    func count(_ verdict: Verdict, of assessment: Assessment, since start: UInt64?) {
        let app = app(verdict.app)
        guard let metrics = app.kinds.first(where: { $0.kind == verdict.kind }) else { return }
        if let start {
            metrics.verification.recordNanoseconds(MonotonicTime.nanoseconds &- start)
        }
        var first = 0
        if verdict.outcome == .accept {
            metrics.accepted.increment()
            if let challenges = metrics.challenges, assessment.effects.contains(where: \.consumesChallenge) {
                challenges.used.increment()
            }
            if let subject = verdict.engineSubject {
                devices.note(subject, app: app.name, app.sighting, at: verdict.judgedAt)
            }
            if !assessment.hasFindings { first = assessment.checks.count }
        } else {
            metrics.rejected.increment()
        }
        for index in first..<max(first, verdict.checks.count) {
            switch verdict.checks[index].status {
            case .passed, .skipped: break
            case .failed, .annotated: count(verdict.checks[index], of: metrics)
            }
        }
    }

    private func count(_ result: CheckResult, of metrics: KindMetrics) {
        guard let code = result.finding?.code, let codes = checks[result.check],
            let counters = codes.first(where: { $0.code == code })
        else { return }
        (result.status == .failed ? counters.failed : counters.annotated).increment()
        if code == CheckCode.challengeExpired.name { metrics.challenges?.expired.increment() }
    }

    /// Counts an error that gave no verdict.
    func count(_ error: VerificationError) {
        switch error {
        case .outage(let outage):
            count(ErrorLabels(metric: .outages, part: type(of: outage).part, code: outage.code.name))
        case .request(let error): count(ErrorLabels(metric: .requestErrors, part: "", code: error.code))
        case .record: count(ErrorLabels(metric: .requestErrors, part: "", code: "unreadable-record"))
        }
    }

    private static let commonErrors: [ErrorLabels] = {
        let outages =
            [
                (
                    LedgerOutage.part,
                    [.unreachable, .full, .readOnly, .locked, .corrupt, .inputOutput, .forgotten, .internalError]
                ),
                (KeyStoreOutage.part, [.unreachable, .wrongMasterKey]),
            ] as [(String, [OutageCode])]
        return outages.flatMap { part, codes in
            codes.map { ErrorLabels(metric: .outages, part: part, code: $0.name) }
        }
            + (RequestError.Reason.allCases.map(\.rawValue) + ["unreadable-record"]).map {
                ErrorLabels(metric: .requestErrors, part: "", code: $0)
            }
    }()

    private func count(_ labels: ErrorLabels, by amount: Int = 1) {
        let counter = errors.withLock { errors in
            if let known = errors[labels] { return known }
            let values = labels.metric == .outages ? [labels.part, labels.code] : [labels.code]
            let counter = Counter(labels.metric, values, factory)
            errors[labels] = counter
            return counter
        }
        counter.increment(by: amount)
    }

    /// Counts a challenge that was issued.
    func countIssued(app: String, _ kind: EvidenceKind) {
        self.app(app).kinds.first { $0.kind == kind }?.challenges?.issued.increment()
    }

    /// Exchanges the counts of devices with other processes, and sets the gauges of devices.
    func exchangeDevices(with documents: any LedgerDocuments, at now: Date) async {
        do throws(LedgerOutage) {
            let found = try await devices.exchange(with: documents, apps: distinct.map(\.app), at: now)
            for (metrics, app) in zip(distinct, found) {
                for (meter, estimate) in zip(metrics.meters, app.estimates) { meter.set(estimate.rounded()) }
            }
        } catch {
            count(.outage(error))
        }
    }

    /// Sets the gauges of keys that end, and removes those of keys that are gone.
    func setKeyEnds(_ keys: [NamedKey]) {
        let ends = keys.compactMap { key in
            [key.window.notAfter, key.retiredAt].compactMap(\.self).min().map { ([key.name, key.purpose.name], $0) }
        }
        keyEnds.withLock { meters in
            var kept: [[String]: Meter] = [:]
            for (labels, end) in ends {
                let meter = meters.removeValue(forKey: labels) ?? Meter(.keyEnd, labels, factory)
                meter.set(end.timeIntervalSince1970)
                kept[labels] = meter
            }
            for meter in meters.values { meter.destroy() }
            meters = kept
        }
    }
}

extension LedgerEffect {
    fileprivate var consumesChallenge: Bool {
        if case .consumeChallenge = action { true } else { false }
    }
}

extension EvidenceEngine {
    /// Whether the app has a section for this engine.
    fileprivate static func judges(_ app: PolicyApp) -> Bool { app.configuration(Configuration.self) != nil }
}

extension MetricName {
    fileprivate func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}

extension Counter {
    fileprivate convenience init(_ name: MetricName, _ values: [String], _ factory: any MetricsFactory) {
        self.init(label: name.rawValue, dimensions: name.dimensions(values), factory: factory)
    }
}

extension CoreMetrics.Timer {
    fileprivate convenience init(_ name: MetricName, _ values: [String], _ factory: any MetricsFactory) {
        self.init(label: name.rawValue, dimensions: name.dimensions(values), factory: factory)
    }
}

extension Meter {
    fileprivate convenience init(_ name: MetricName, _ values: [String], _ factory: any MetricsFactory) {
        self.init(label: name.rawValue, dimensions: name.dimensions(values), factory: factory)
    }
}
