import AssayCore
import CoreMetrics
import FoundationEssentials
import Synchronization

/// The metrics of a verifier, in swift-metrics. They are created with their labels when the verifier is created, so
/// that counting a verdict looks up no label.
final class VerifierMetrics: Sendable {
    /// The place of an app's kinds in the array of all kinds.
    private struct AppKinds: Sendable {
        let name: String
        let range: Range<Int>
    }

    /// The kind stands beside the reference: a search that reads it through the reference would retain each object.
    private struct KindEntry: Sendable {
        let kind: EvidenceKind
        let metrics: KindMetrics
    }

    /// The metrics of one kind of evidence of an app. The handlers of the backend: a `Counter` or `Timer` around each of them would
    /// cost two references more for each verdict.
    private final class KindMetrics: Sendable {
        let app: String
        /// The hash state after the app's name; device identifiers continue it.
        let sighting: DeviceHash
        let accepted: any CounterHandler
        let rejected: any CounterHandler
        /// Shared by the kinds of the app. Without those of an app among many, which are made when they are needed.
        let checks: [CheckID: [CodeMetrics]]
        let verification: any TimerHandler
        /// Nil for a kind without challenges of the ledger.
        let challenges: ChallengeMetrics?

        init(
            _ kind: EvidenceKind, app: String, _ checks: [CheckID: [CodeMetrics]], _ verification: any TimerHandler,
            hasChallenges: Bool, _ factory: any MetricsFactory
        ) {
            self.app = app
            self.checks = checks
            var hash = DeviceHash()
            hash.combine(app)
            sighting = hash
            self.verification = verification
            accepted = factory.counter(.verdicts, [app, kind.name, "accept"])
            rejected = factory.counter(.verdicts, [app, kind.name, "reject"])
            challenges = hasChallenges ? ChallengeMetrics(app, kind, factory) : nil
        }

        /// Records the duration of a verification that began at `start`.
        func recordDuration(since start: UInt64) {
            verification.recordNanoseconds(Int64(truncatingIfNeeded: MonotonicTime.nanoseconds &- start))
        }

        /// Counts an accepting verdict.
        func countAccepted() { accepted.increment(by: 1) }

        /// Counts a rejecting verdict.
        func countRejected() { rejected.increment(by: 1) }
    }

    private final class ChallengeMetrics: Sendable {
        let issued: any CounterHandler
        let used: any CounterHandler
        let expired: any CounterHandler

        init(_ app: String, _ kind: EvidenceKind, _ factory: any MetricsFactory) {
            issued = factory.counter(.challenges, [app, kind.name, "issued"])
            used = factory.counter(.challenges, [app, kind.name, "used"])
            expired = factory.counter(.challenges, [app, kind.name, "expired"])
        }
    }

    /// The metrics of one code of a check.
    private struct CodeMetrics: Sendable {
        let code: String
        let failed: any CounterHandler
        let annotated: any CounterHandler

        /// The metrics of checks, by their names.
        static func of(
            _ definitions: [CheckDefinition], app: String, _ factory: any MetricsFactory
        ) -> [CheckID: [CodeMetrics]] {
            func counter(_ labels: String...) -> any CounterHandler { factory.counter(.checks, [app] + labels) }
            return Dictionary(
                definitions.map { definition in
                    let name = definition.id.name
                    let codes = definition.codes.map { code in
                        CodeMetrics(
                            code: code.name, failed: counter(name, "failed", code.name),
                            annotated: counter(name, "annotated", code.name))
                    }
                    return (definition.id, codes)
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The labels of an error. The ledger or the service may define its code.
    private struct ErrorLabels: Hashable {
        let metric: MetricName
        let part: String
        let code: String
    }

    /// Up to this number of apps, a linear search is faster than hashing the name, and the counters of all checks exist from the start:
    /// Prometheus sees no increase in the first value of a series. More apps would fill scrapes with zeros.
    private static let fewApps = 8
    private let apps: [AppKinds]
    private let appsByName: [String: AppKinds]
    /// The place of the metrics for evidence that matches no app.
    private let unknown: Range<Int>
    /// The kinds of all apps, those of an app side by side: one array in place of one per app saves references.
    private let kinds: [KindEntry]
    /// The codes of the catalogue, which alone become labels.
    private let codes: [CheckID: [String]]
    private let laterChecks = Mutex<[[String]: any CounterHandler]>([:])
    private let distinct: [(app: String, meters: [Meter])]
    private let refused: [(app: String, meters: [Meter])]
    /// The facts by which the policy counts verdicts; mostly none.
    private let facts: [String]
    /// The properties of apps by which the policy counts verdicts; mostly none.
    private let properties: [String]
    private let errors = Mutex<[ErrorLabels: Counter]>([:])
    private let keyEnds = Mutex<[[String]: Meter]>([:])
    private let factory: any MetricsFactory
    /// Metrics of debug and failover tokens.
    let tokens: TokenMetrics
    /// Metrics of runtime secrets.
    let secrets: SecretMetrics
    private let devices: DistinctDevices
    private let factCounts: FactCounts

    /// Creates the metrics of a policy; nil if the process has no metrics backend.
    ///
    /// - Parameters:
    ///   - devices: the device counts under an earlier policy.
    ///   - facts: the values of facts under an earlier policy.
    init?(
        _ policy: VerificationPolicy, _ registry: EngineRegistry, devices: DistinctDevices, facts: FactCounts
    ) {
        let factory = MetricsSystem.factory
        guard !(factory is NOOPMetricsHandler) else { return nil }
        self.factory = factory
        self.devices = devices
        factCounts = facts
        self.facts = policy.countedFacts
        properties = policy.countedProperties
        tokens = TokenMetrics(policy, factory)
        secrets = SecretMetrics(policy, factory)
        let timers = Dictionary(
            registry.kinds.map { kind in
                (kind, factory.timer(.verification, [kind.name]))
            }, uniquingKeysWith: { first, _ in first })
        var entries: [KindEntry] = []
        func add(_ app: String, _ kinds: [EvidenceKind], _ definitions: [CheckDefinition]) -> Range<Int> {
            let start = entries.count
            let checks = CodeMetrics.of(definitions, app: app, factory)
            for kind in kinds {
                guard let timer = timers[kind] else { continue }
                let metrics = KindMetrics(
                    kind, app: app, checks, timer, hasChallenges: registry.challengeKinds.contains(kind), factory)
                entries.append(KindEntry(kind: kind, metrics: metrics))
            }
            return start..<entries.count
        }
        apps = policy.apps.map { app in
            let kinds = registry.engines.filter { $0.isSection(of: app) }.flatMap { $0.kinds }
            let sections = policy.apps.count > Self.fewApps ? [] : registry.sections.filter { $0.isSection(of: app) }
            return AppKinds(name: app.name, range: add(app.name, kinds, sections.flatMap { $0.catalogue }))
        }
        appsByName = Dictionary(apps.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        unknown = add("", registry.kinds, registry.catalogue)
        kinds = entries
        codes = Dictionary(
            registry.catalogue.map { ($0.id, $0.codes.map(\.name)) }, uniquingKeysWith: { first, _ in first })
        func meters(_ name: MetricName) -> [(app: String, meters: [Meter])] {
            policy.apps.map { app in (app.name, DevicePeriods.names.map { Meter(name, [app.name, $0], factory) }) }
        }
        distinct = meters(.distinctDevices)
        refused = meters(.refusedDevices)
        // For every app, so that a policy that is exchanged leaves no share of the one before.
        for app in policy.apps {
            let section = app.configuration(NoEvidenceConfiguration.self)
            Meter(.plausibleShare, [app.name], factory).set(section.map { $0.plausibleShare?.fraction ?? 1 } ?? 0)
        }
        // Alerts detect an increase only in a series that already exists.
        for labels in Self.commonErrors { count(labels, by: 0) }
    }

    @inline(__always)
    private func range(of app: String?) -> Range<Int> {
        guard let app else { return unknown }
        guard apps.count <= Self.fewApps else { return appsByName[app]?.range ?? unknown }
        for index in apps.indices where apps[index].name == app { return apps[index].range }
        return unknown
    }

    @inline(__always)
    private func metrics(of app: String?, _ kind: EvidenceKind) -> KindMetrics? {
        for index in range(of: app) where kinds[index].kind == kind { return kinds[index].metrics }
        return nil
    }

    /// Counts a verdict.
    ///
    /// - Parameters:
    ///   - assessment: The assessment behind the verdict.
    ///   - start: The start of the verification; nil if it was interrupted.
    func count(_ verdict: Verdict, of assessment: Assessment, since start: UInt64?) {
        guard let metrics = metrics(of: verdict.app, verdict.kind) else { return }
        if let start { metrics.recordDuration(since: start) }
        if !facts.isEmpty { factCounts.count(verdict, app: metrics.app, by: facts, factory) }
        if !properties.isEmpty { factCounts.count(propertyOf: verdict, app: metrics.app, among: properties, factory) }
        guard verdict.outcome == .accept else {
            metrics.countRejected()
            countDevice(verdict, among: .refused, of: metrics)
            return countFindings(verdict, from: 0, of: metrics)
        }
        metrics.countAccepted()
        if !assessment.effects.isEmpty, let challenges = metrics.challenges,
            assessment.effects.contains(where: \.consumesChallenge)
        {
            challenges.used.increment(by: 1)
        }
        countDevice(verdict, among: .accepted, of: metrics)
        // The checks of the ledger follow.
        let first = assessment.hasFindings ? 0 : assessment.checks.count
        if first < verdict.checks.count { countFindings(verdict, from: first, of: metrics) }
    }

    @inline(__always)
    private func countDevice(_ verdict: Verdict, among series: DistinctDevices.Series, of metrics: KindMetrics) {
        var sighting = metrics.sighting
        if verdict.engineSubject?.hashDevice(into: &sighting) == true,
            devices.isNew(&sighting, among: series, at: verdict.judgedAt),
            let identifier = verdict.engineSubject?.identifier
        {
            devices.add(identifier, to: series, app: metrics.app, at: verdict.judgedAt)
        }
    }

    private func countFindings(_ verdict: Verdict, from first: Int, of metrics: KindMetrics) {
        for index in first..<verdict.checks.count {
            switch verdict.checks[index].status {
            case .passed, .skipped: break
            case .failed, .annotated: count(verdict.checks[index], of: metrics)
            }
        }
    }

    private func count(_ result: CheckResult, of metrics: KindMetrics) {
        guard let code = result.finding?.code else { return }
        if let counters = metrics.checks[result.check]?.first(where: { $0.code == code }) {
            (result.status == .failed ? counters.failed : counters.annotated).increment(by: 1)
        } else if codes[result.check]?.contains(code) == true {
            let labels = [metrics.app, result.check.name, result.status.rawValue, code]
            let counter = laterChecks.withLock { known in
                if let counter = known[labels] { return counter }
                let made = factory.counter(.checks, labels)
                known[labels] = made
                return made
            }
            counter.increment(by: 1)
        }
        if code == CheckCode.challengeExpired.name { metrics.challenges?.expired.increment(by: 1) }
    }

    /// Counts an error without a verdict.
    func count(_ error: VerificationError) {
        switch error {
        case .outage(let outage):
            count(ErrorLabels(metric: .outages, part: type(of: outage).part, code: outage.code.name))
        case .request(let error): count(ErrorLabels(metric: .requestErrors, part: "", code: error.code))
        case .record: count(ErrorLabels(metric: .requestErrors, part: "", code: "unreadable-record"))
        }
    }

    private static let commonErrors: [ErrorLabels] =
        OutageExplanation.all.flatMap { explanation in
            explanation.parts.map { ErrorLabels(metric: .outages, part: $0, code: explanation.code.name) }
        }
        + (RequestError.Reason.allCases.map(\.rawValue) + ["unreadable-record"]).map {
            ErrorLabels(metric: .requestErrors, part: "", code: $0)
        }

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

    /// Counts an issued challenge.
    func countIssued(app: String, _ kind: EvidenceKind) {
        metrics(of: app, kind)?.challenges?.issued.increment(by: 1)
    }

    /// Exchanges device counts with other processes and sets the device gauges.
    func exchangeDevices(with documents: any LedgerDocuments, at now: Date) async {
        do throws(LedgerOutage) {
            for (series, all) in [(DistinctDevices.Series.accepted, distinct), (.refused, refused)] {
                let found = try await devices.exchange(series, with: documents, apps: all.map(\.app), at: now)
                for (metrics, app) in zip(all, found) {
                    for (meter, estimate) in zip(metrics.meters, app.estimates) { meter.set(estimate.rounded()) }
                }
            }
        } catch {
            count(.outage(error))
        }
    }

    /// Sets the gauges of keys that end or have ended, and removes those of deleted keys. A key that an operator has retired is not
    /// missed.
    func setKeyEnds(_ keys: [NamedKey], at now: Date) {
        let ends = keys.filter { $0.retiredAt.map { now < $0 } ?? true }.compactMap { key in
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

extension PolicySection {
    /// Whether the app has the section.
    fileprivate static func isSection(of app: PolicyApp) -> Bool { app.configuration(Configuration.self) != nil }
}

extension MetricName {
    fileprivate func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}

extension Counter {
    fileprivate convenience init(_ name: MetricName, _ values: [String], _ factory: any MetricsFactory) {
        self.init(label: name.rawValue, dimensions: name.dimensions(values), factory: factory)
    }
}

extension MetricsFactory {
    func counter(_ name: MetricName, _ values: [String]) -> any CounterHandler {
        makeCounter(label: name.rawValue, dimensions: name.dimensions(values))
    }

    fileprivate func timer(_ name: MetricName, _ values: [String]) -> any TimerHandler {
        makeTimer(label: name.rawValue, dimensions: name.dimensions(values))
    }
}

extension Meter {
    fileprivate convenience init(_ name: MetricName, _ values: [String], _ factory: any MetricsFactory) {
        self.init(label: name.rawValue, dimensions: name.dimensions(values), factory: factory)
    }
}
