import AppAttest
import Assay
import AssayCore
package import Foundation

/// What a round of exchanges did.
package struct ReceiptRound: Sendable {
    /// How many receipts were due.
    package let count: Int
    /// An outage of Apple's server, after which others would fail too.
    package let outage: AppleServicesOutage?
    /// Until when to wait after an outage.
    package let pausedUntil: Date?
}

/// Exchanges the receipts of enrolled keys at Apple's server when they are due, and stores their risk metrics with the keys. Processes
/// share the work through leases of the ledger, which end by themselves. After an outage of Apple's server all receipts wait.
actor ReceiptScheduler {
    /// The lease of one receipt, in seconds. A batch needs at most two requests and the wait for the rate limit.
    static let leaseTime = 300.0
    /// How many receipts are exchanged at once.
    private static let batch = 16
    /// The longest pause after an outage that does not say how long it lasts, in seconds.
    private static let longestPause = 600.0
    /// How often a process without work looks for some, in seconds.
    private static let idleTime = 30.0

    private let client: AppleServicesClient
    private let ledger: any LedgerAdministration
    private let masterKey: MasterKey?
    private let plan: ReceiptPlan
    private let time: ClientTime
    private let report: ReceiptReports
    private let holder: String
    private var outages = 0

    /// - Parameters:
    ///   - masterKey: opens sealed receipts; nil if there is none.
    ///   - holder: the name of the process in leases.
    init(
        client: AppleServicesClient, ledger: any LedgerAdministration, masterKey: MasterKey?, plan: ReceiptPlan,
        time: ClientTime, report: ReceiptReports, holder: String
    ) {
        (self.client, self.ledger, self.masterKey, self.plan) = (client, ledger, masterKey, plan)
        (self.time, self.report, self.holder) = (time, report, holder)
    }

    /// Works until the task is cancelled.
    func run(_ verifier: @escaping @Sendable () -> Verifier) async {
        while !Task.isCancelled {
            var pause = 0.0
            do throws(LedgerOutage) {
                let round = try await refreshDue(verifier())
                if let end = round.pausedUntil {
                    pause = max(1, end.timeIntervalSince(time.now()))
                } else if round.count < Self.batch {
                    pause = Self.idleTime * (0.5 + time.random())
                }
            } catch {
                report.note(error)
                pause = Self.idleTime * (0.5 + time.random())
            }
            if pause > 0 { try? await time.sleep(.seconds(pause)) }
        }
    }

    /// Exchanges the receipts that are due, at most one batch.
    /// - Returns: how many were due, and after an outage of Apple's server, until when to wait.
    func refreshDue(_ verifier: Verifier) async throws(LedgerOutage) -> ReceiptRound {
        let now = time.now()
        let tasks = try await ledger.leaseTasks(
            in: KeptReceipt.queue, to: holder, until: now + Self.leaseTime, atMost: Self.batch, at: now)
        let results = await withTaskGroup(of: Result<AppleServicesOutage?, LedgerOutage>.self) { group in
            for task in tasks {
                group.addTask {
                    do throws(LedgerOutage) {
                        return .success(try await self.refresh(task, verifier).outage)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            var results: [Result<AppleServicesOutage?, LedgerOutage>] = []
            for await result in group { results.append(result) }
            return results
        }
        var outage: AppleServicesOutage?
        for result in results {
            if let found = try result.get() { outage = outage?.retryAt == nil ? found : outage }
        }
        guard let outage else {
            if !tasks.isEmpty { outages = 0 }
            return ReceiptRound(count: tasks.count, outage: nil, pausedUntil: nil)
        }
        outages += 1
        report.note(outage)
        let end = min(
            plan.retry(after: .outage, failures: outages, at: time.now(), random: time.random()),
            time.now() + Self.longestPause)
        return ReceiptRound(count: tasks.count, outage: outage, pausedUntil: max(end, outage.retryAt ?? end))
    }

    /// Exchanges the receipt of a key now, unless another process has leased it.
    /// - Returns: what came of it; nil if no receipt of the key is kept, or another process works on it.
    func refresh(
        keyID: [UInt8], _ verifier: Verifier
    ) async throws(LedgerOutage) -> (outcome: ReceiptOutcome, outage: AppleServicesOutage?)? {
        let now = time.now()
        let lease = try await ledger.leaseTask(
            keyID, in: KeptReceipt.queue, to: holder, until: now + Self.leaseTime, at: now)
        guard let leased = lease else { return nil }
        return try await refresh(leased, verifier)
    }

    // MARK: One receipt

    /// Exchanges a leased receipt and stores the result.
    private nonisolated func refresh(
        _ task: LedgerTask, _ verifier: Verifier
    ) async throws(LedgerOutage) -> (outcome: ReceiptOutcome, outage: AppleServicesOutage?) {
        let kept: KeptReceipt
        let expiresAt: Date
        do throws(KeptReceipt.Unusable) {
            kept = try KeptReceipt(task: task)
            expiresAt = try kept.times().expiresAt
        } catch { return (try await keep(task, error), nil) }
        let stored = try await ledger.enrolledKey(.appAttest(task.key))
        guard let key = stored, key.retiredAt == nil else { return try await drop(task, kept, .notEnrolled) }
        guard time.now() <= expiresAt else { return try await drop(task, kept, .expired) }
        let old: RefreshableReceipt
        do throws(KeptReceipt.Unusable) {
            old = try kept.opened(keyID: task.key, masterKey: masterKey)
        } catch { return (try await keep(task, error), nil) }
        guard let keeping = verifier.keepingReceipts(of: kept.app), let appID = key.properties["appId"] else {
            return (try await postpone(task, kept, .notKept), nil)
        }
        let answer: ReceiptAnswer
        do {
            answer = try await client.using(verifier.keys).exchange(
                old.bytes, environment: old.environment, appID: appID, app: kept.app)
        } catch {
            guard error.code == .refusedRequest else {
                return (try await postpone(task, kept, .outage, notBefore: error.retryAt), error)
            }
            return (try await postpone(task, kept, .refused, error.message), nil)
        }
        switch answer {
        case .notYet: return (try await postpone(task, kept, .notYet, notBefore: old.notBefore), nil)
        case .noData: return (try await postpone(task, kept, .noData), nil)
        case .receipt(let bytes):
            let new: RefreshableReceipt
            do throws(ReceiptRefusal) {
                new = try verifier.refreshedReceipt(bytes, of: key, replacing: old, at: time.now())
            } catch {
                return (try await postpone(task, kept, .unusable, "\(error)"), nil)
            }
            try await store(new, task, kept, key, keeping)
            return (.refreshed, nil)
        }
    }

    /// Leaves a receipt that cannot be used as it is, for a program that can.
    private nonisolated func keep(
        _ task: LedgerTask, _ problem: KeptReceipt.Unusable
    ) async throws(LedgerOutage) -> ReceiptOutcome {
        report.note(.unreadable, app: "", "a stored receipt cannot be used: \(problem.description)")
        let due = plan.retry(after: .unreadable, failures: 12, at: time.now(), random: time.random())
        try await settle(task, task.bytes, due)
        return .unreadable
    }

    /// Stores the metric with the key, then the receipt. If the process dies in between, the old receipt is exchanged again.
    private nonisolated func store(
        _ new: RefreshableReceipt, _ task: LedgerTask, _ kept: KeptReceipt, _ key: EnrolledKey,
        _ keeping: AppAttestConfiguration.ReceiptKeeping
    ) async throws(LedgerOutage) {
        let now = time.now()
        // A refusal means that the key is blocked or was attested again: the next metric is stored with it.
        if let effect = new.recording(with: key) { _ = try await ledger.commit([effect], at: now) }
        let bytes: [UInt8]
        do throws(KeptReceipt.Unusable) {
            var next = try KeptReceipt(new, app: kept.app, keyID: task.key, keeping, masterKey)
            next.outcome = .refreshed
            bytes = try next.encoded()
        } catch {
            throw LedgerOutage(.internalError, error.description)
        }
        try await settle(task, bytes, plan.next(after: new, at: now, random: time.random()))
        report.note(.refreshed, app: kept.app, nil)
        if let metric = new.riskMetric { report.measure(metric, app: kept.app) }
    }

    /// Plans the next attempt. Returns the outcome.
    private nonisolated func postpone(
        _ task: LedgerTask, _ kept: KeptReceipt, _ outcome: ReceiptOutcome, _ sentence: String? = nil,
        notBefore: Date? = nil
    ) async throws(LedgerOutage) -> ReceiptOutcome {
        var next = kept
        next.failures = kept.outcome == outcome ? min(kept.failures + 1, 99) : 1
        next.outcome = outcome
        let due = plan.retry(after: outcome, failures: next.failures, at: time.now(), random: time.random())
        let bytes: [UInt8]
        do { bytes = try next.encoded() } catch { throw LedgerOutage(.internalError, error.description) }
        try await settle(task, bytes, max(due, notBefore.map { $0 + 60 * time.random() } ?? due))
        report.note(outcome, app: kept.app, sentence.map { "a receipt of app \(kept.app.excerpt): \($0)" })
        return outcome
    }

    private nonisolated func drop(
        _ task: LedgerTask, _ kept: KeptReceipt, _ outcome: ReceiptOutcome
    ) async throws(LedgerOutage) -> (outcome: ReceiptOutcome, outage: AppleServicesOutage?) {
        _ = try await ledger.removeTask(task.key, in: task.queue, replacing: task.revision, at: time.now())
        report.note(outcome, app: kept.app, nil)
        return (outcome, nil)
    }

    /// Ends the lease. If it has expired, another process or another attestation has changed the task, which stays as it is.
    private nonisolated func settle(_ task: LedgerTask, _ bytes: [UInt8], _ due: Date) async throws(LedgerOutage) {
        _ = try await ledger.putTask(
            task.key, in: task.queue, dueAt: due, bytes: bytes, replacing: task.revision, at: time.now())
    }
}
