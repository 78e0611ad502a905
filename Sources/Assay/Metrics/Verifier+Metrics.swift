package import AssayCore
public import FoundationEssentials

extension Verifier {
    /// Sets the gauges, and exchanges the counts of distinct devices with the other processes of the ledger.
    ///
    /// A verifier counts through swift-metrics if a backend was set up (`MetricsSystem.bootstrap`) before the verifier was made:
    /// verdicts, checks that failed, outages, times, challenges. Distinct devices and the ends of keys need this call, each
    /// minute. `Docs/metrics.md` lists all metrics.
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
        metrics.setKeyEnds(all)
    }

    private static let keyPurposes = EngineRegistry.standard.keyMaterials.map { $0.purpose }

    /// Assesses evidence, commits, and counts what came of it.
    ///
    /// Every verdict of a verifier is made here or by ``verdicts(of:at:)``; otherwise it would not be counted.
    @inline(__always)
    func judge(
        at now: Date, _ assess: () async throws(VerificationError) -> Assessment
    ) async throws(VerificationError) -> Verdict {
        guard let metrics else { return try await assess().verdict(committingTo: ledger, at: now) }
        let start = MonotonicTime.nanoseconds
        do throws(VerificationError) {
            let assessment = try await assess()
            let verdict = try await assessment.verdict(committingTo: ledger, at: now)
            metrics.count(verdict, of: assessment, since: start)
            return verdict
        } catch {
            metrics.count(error)
            throw error
        }
    }

    /// Turns the assessments of one request into verdicts, with one commit, and counts them.
    package func verdicts(of assessments: [Assessment], at now: Date) async throws(VerificationError) -> [Verdict] {
        guard let metrics else {
            return try await Assessment.verdicts(of: assessments, committingTo: ledger, at: now)
        }
        do throws(VerificationError) {
            let verdicts = try await Assessment.verdicts(of: assessments, committingTo: ledger, at: now)
            // Of a rejected request there are the rejecting verdicts only.
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

    /// Assesses evidence and counts an error; the verdict is counted when it is made.
    func counting(
        _ assess: () async throws(VerificationError) -> Assessment
    ) async throws(VerificationError) -> Assessment {
        do throws(VerificationError) {
            return try await assess()
        } catch {
            metrics?.count(error)
            throw error
        }
    }
}
