import AppAttest
import Assay
import AssayCore
import CoreMetrics
import FoundationEssentials
import Synchronization

/// Keeps the receipts of accepted attestations in the ledger, if the policy says so.
///
/// A receipt that cannot be stored does not change the verdict: the key then has no risk metric until it is attested again.
struct ReceiptKeeper: Sendable {
    let ledger: any LedgerAdministration
    let masterKey: MasterKey?
    let plan: ReceiptPlan
    let time: ClientTime
    let report: ReceiptReports

    /// Stores the receipt of an accepted attestation, unless a newer one is stored.
    func accepted(_ verdict: Verdict, by verifier: Verifier, at now: Date) async {
        guard let subject = verdict.appAttest, let bytes = subject.receiptBytes, let app = verdict.app,
            let keeping = verifier.keepingReceipts(of: app)
        else { return }
        do { try await keep(bytes, subject.keyID, app, keeping, verifier, now) } catch {
            let reason = (error as? LedgerOutage)?.message ?? "\(error)"
            report.note(.unreadable, app: app, "a receipt is not kept: \(reason)")
        }
    }

    private func keep(
        _ bytes: [UInt8], _ keyID: [UInt8], _ app: String, _ keeping: AppAttestConfiguration.ReceiptKeeping,
        _ verifier: Verifier, _ now: Date
    ) async throws {
        guard let key = try await ledger.enrolledKey(.appAttest(keyID)),
            let receipt = try verifier.receipt(bytes, of: key)
        else { return }
        let kept = try KeptReceipt(receipt, app: app, keyID: keyID, keeping, masterKey).encoded()
        // Another process may change the task meanwhile.
        for _ in 0..<5 {
            let stored = try await ledger.task(keyID, in: KeptReceipt.queue)
            let known = stored.flatMap { try? KeptReceipt(task: $0).times().createdAt }
            if let known, known >= receipt.createdAt { return }
            let isStored = try await ledger.putTask(
                keyID, in: KeptReceipt.queue, dueAt: plan.first(after: now, random: time.random()), bytes: kept,
                replacing: stored?.revision ?? 0, at: now)
            if isStored { return }
        }
    }
}

/// Counts the results of exchanges, and logs what operators should see.
final class ReceiptReports: Sendable {
    /// That of the task that made the client: results may come from tasks without one.
    private let factory = MetricsSystem.factory
    private let log = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// - Parameter log: takes one sentence without secrets.
    func setLog(_ log: @escaping @Sendable (String) -> Void) { self.log.withLock { $0 = log } }

    func note(_ outcome: ReceiptOutcome, app: String, _ sentence: String?) {
        Counter(
            label: MetricName.receipts.rawValue, dimensions: [("app", app), ("outcome", outcome.rawValue)],
            factory: factory
        ).increment()
        if let sentence { write(sentence) }
    }

    func measure(_ metric: Int, app: String) {
        Recorder(label: MetricName.riskMetric.rawValue, dimensions: [("app", app)], factory: factory).record(metric)
    }

    func note(_ outage: any Outage) {
        Counter(
            label: MetricName.outages.rawValue,
            dimensions: [("part", type(of: outage).part), ("code", outage.code.name)], factory: factory
        ).increment()
        write(outage.description)
    }

    private func write(_ sentence: String) { log.withLock { $0 }?(sentence) }
}
