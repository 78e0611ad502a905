package import AssayCore
public import FoundationEssentials

extension Verifier {
    /// Sets the gauges, and merges the counts of distinct devices with those of the ledger's other processes.
    ///
    /// A verifier counts verdicts, failed checks, outages, durations and challenges through swift-metrics, if a backend
    /// was set up (`MetricsSystem.bootstrap`) before the verifier was created. Call this method once a minute for the
    /// gauges of distinct devices and of expiring keys. `Docs/metrics.md` lists all metrics.
    public func refreshMetrics(at now: Date) async {
        guard let metrics, now.timeIntervalSince1970.isFinite else { return }
        if let documents = ledger as? any LedgerDocuments { await metrics.exchangeDevices(with: documents, at: now) }
        var all: [NamedKey] = []
        do throws(KeyStoreOutage) {
            for purpose in Set(Self.keyPurposes) { all += try await keys.keys(for: purpose) }
        } catch {
            metrics.count(.outage(error))
            return
        }
        metrics.setKeyEnds(all, at: now)
    }

    private static let keyPurposes = EngineRegistry.standard.keyMaterials.map { $0.purpose }

    /// Assesses evidence, commits the effects, and counts the result, in a span if a tracer is set up.
    ///
    /// Only this method and ``verdicts(of:at:)`` make verdicts, so that all are counted.
    ///
    /// - Parameter hasDeviceCheck: whether the assessment has the results about a device token; see ``addingDeviceCheck(to:_:ledger:at:)``.
    @inline(__always)
    func verify(
        at now: Date, hasDeviceCheck: Bool = false, _ assess: () async throws(VerificationError) -> Assessment
    ) async throws(VerificationError) -> Verdict {
        if isTraced { return try await traced(at: now, hasDeviceCheck: hasDeviceCheck, assess) }
        return try await counted(at: now, hasDeviceCheck: hasDeviceCheck, assess)
    }

    /// ``verify(at:hasDeviceCheck:_:)`` without a span.
    @inline(__always)
    func counted(
        at now: Date, hasDeviceCheck: Bool, _ assess: () async throws(VerificationError) -> Assessment
    ) async throws(VerificationError) -> Verdict {
        func complete() async throws(VerificationError) -> Assessment {
            let assessment = try await assess()
            return hasDeviceCheck
                ? assessment : try await addingDeviceCheck(to: assessment, .none, ledger: ledger, at: now)
        }
        guard let metrics else {
            let verdict = try await complete().verdict(committingTo: ledger, at: now)
            if observes(verdict) { await observe(verdict, at: now) }
            return verdict
        }
        let start = MonotonicTime.nanoseconds
        do throws(VerificationError) {
            let assessment = try await complete()
            let verdict = try await assessment.verdict(committingTo: ledger, at: now)
            metrics.count(verdict, of: assessment, since: start)
            if observes(verdict) { await observe(verdict, at: now) }
            return verdict
        } catch {
            metrics.count(error)
            throw error
        }
    }

    /// Whether a service learns of a verdict.
    @inline(__always)
    func observes(_ verdict: Verdict) -> Bool {
        !observers.isEmpty && verdict.outcome == .accept
            && observers.contains { $0.observedKinds.contains(verdict.evidenceKind) }
    }

    private func observe(_ verdict: Verdict, at now: Date) async {
        for observer in observers where observer.observedKinds.contains(verdict.evidenceKind) {
            await observer.accepted(verdict, by: self, at: now)
        }
    }

    /// Turns the assessments of one request into verdicts with one commit, and counts them.
    package func verdicts(of assessments: [Assessment], at now: Date) async throws(VerificationError) -> [Verdict] {
        guard isTraced else { return try await counted(assessments, at: now) }
        return try await withVerificationSpan("assay.commit") { () async throws(VerificationError) in
            try await counted(assessments, at: now)
        } note: { verdicts, span in
            // The rejecting one, if any.
            if let verdict = verdicts.first { span.note(verdict) }
        }
    }

    private func counted(_ assessments: [Assessment], at now: Date) async throws(VerificationError) -> [Verdict] {
        guard let metrics else {
            return try await Assessment.verdicts(of: assessments, committingTo: ledger, at: now)
        }
        do throws(VerificationError) {
            let verdicts = try await Assessment.verdicts(of: assessments, committingTo: ledger, at: now)
            // If the request is rejected, these are only the rejecting verdicts.
            for verdict in verdicts {
                let assessment = assessments.first { $0.kind == verdict.kind && $0.app == verdict.app }
                if let assessment { metrics.count(verdict, of: assessment, since: nil) }
            }
            return verdicts
        } catch {
            metrics.count(error)
            throw error
        }
    }

    /// Assesses evidence and counts an error. The verdict is counted later.
    func counting(
        at now: Date, _ assess: () async throws(VerificationError) -> Assessment
    ) async throws(VerificationError) -> Assessment {
        func assessment() async throws(VerificationError) -> Assessment {
            try await counting { () async throws(VerificationError) in
                try await addingDeviceCheck(to: assess(), .none, ledger: ledger, at: now)
            }
        }
        guard isTraced else { return try await assessment() }
        return try await withVerificationSpan("assay.assess", assessment) { $1.note($0) }
    }

    /// Counts the error of a call that makes no verdict.
    func counting<Value>(
        _ call: () async throws(VerificationError) -> Value
    ) async throws(VerificationError) -> Value {
        do throws(VerificationError) { return try await call() } catch {
            metrics?.count(error)
            throw error
        }
    }
}
