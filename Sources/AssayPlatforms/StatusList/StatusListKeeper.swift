import AndroidKey
import AssayCore
import CoreMetrics
import FoundationEssentials
import Synchronization

/// Holds the last list, and renews it with one request at a time.
actor StatusListKeeper {
    /// A list is renewed in the background after this share of its lifetime plus a random 0 to 20 %. The randomness
    /// keeps servers that share a list from asking at the same time.
    private static let shareBeforeRenewal = 0.7

    /// The least time between two requests.
    private static let spacing = Duration.seconds(30)

    /// The longest pause that the server's `Retry-After` can demand: a longer one would make the list too old.
    private static let longestRetryAfter = Duration.seconds(900)

    private let settings: AttestationStatusClientSettings
    private let time: ClientTime
    private let exchange: HTTPExchange
    private let fetch: StatusListFetch
    private let shared: SharedStatusList?
    private let refusals: StatusListRefusals
    private let share: Double
    /// The last list. Read without the actor, because every judgement does.
    private let last = Mutex<HeldStatusList?>(nil)
    private var renewal: Task<Void, Never>?
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiter = 0
    private var failures = 0
    private var nextAttempt = Duration.zero
    private var isShutDown = false
    /// Why the last request got no list.
    private(set) var lastFailure: StatusListOutage?
    private let failing = Meter(label: MetricName.statusListFailing.rawValue)

    init(
        _ documents: (any LedgerDocuments)?, _ settings: AttestationStatusClientSettings, _ time: ClientTime,
        _ refusals: StatusListRefusals
    ) {
        (self.refusals, self.settings, self.time) = (refusals, settings, time)
        exchange = HTTPExchange(
            answerLimit: AttestationStatusList.limit, connectTimeout: settings.connectTime, time: time
        )
        fetch = StatusListFetch(url: settings.url, exchange: exchange, attemptTime: settings.attemptTime, time: time)
        shared = documents.map { SharedStatusList(documents: $0, origin: settings.url, time: time) }
        share = Self.shareBeforeRenewal + time.random() * 0.2
    }

    private nonisolated var current: HeldStatusList? { last.withLock { $0 } }

    /// The list if it needs no renewal.
    nonisolated func freshList(at now: Date, maximumAge: Double) -> AttestationStatusList? {
        guard let held = current, !held.isDue(time, after: share),
            age(of: held, at: now) <= maximumAge
        else { return nil }
        return held.list
    }

    /// The list, renewed if necessary.
    func list(at now: Date, maximumAge: Double) async throws(StatusListOutage) -> AttestationStatusList {
        try requireNotShutDown()
        let former = current
        let isUsable = former.map { age(of: $0, at: now) <= maximumAge } ?? false
        beginRenewal()
        if renewal != nil, !(isUsable && former?.isFresh(time) ?? false) {
            await waitForRenewal(atMost: isUsable ? settings.renewalWait : settings.attemptTime * 2)
        }
        try requireNotShutDown()
        let reason = lastFailure.map { ": \($0.message) (\($0.code))" } ?? ""
        guard let held = current else {
            throw StatusListOutage(
                .statusListMissing, "no status list has been fetched from \(settings.url.host)\(reason)")
        }
        let seconds = age(of: held, at: now)
        guard seconds <= maximumAge else {
            throw StatusListOutage(
                .statusListTooOld,
                "the last status list is of \(RFC3339.format(held.checkedAt)), and the policy allows "
                    + "\(PolicyNode.text(ofSeconds: maximumAge)); no newer one from \(settings.url.host)\(reason)")
        }
        return held.list
    }

    private func requireNotShutDown() throws(StatusListOutage) {
        if isShutDown { throw StatusListOutage(.shutDown, "the client has been shut down") }
    }

    /// Ends the current request and all waiting judgements.
    func shutdown() async {
        isShutDown = true
        last.withLock { $0 = nil }
        renewal?.cancel()
        resumeAll()
        refusals.finish()
        await exchange.shutdown()
    }

    /// The age of a list in seconds at the time of judgement or now, whichever is more.
    private nonisolated func age(of held: HeldStatusList, at now: Date) -> Double {
        max(held.age(time), now.timeIntervalSince(held.checkedAt))
    }

    // MARK: Renewal

    private func beginRenewal() {
        guard renewal == nil, !isShutDown, time.uptime() >= nextAttempt else { return }
        let former = current
        renewal = Task {
            let result = await renewed(former)
            finish(result)
        }
    }

    /// The list of the ledger if it is fresh, or that of the server.
    private nonisolated func renewed(_ former: HeldStatusList?) async -> Renewal {
        var base = former
        let stored = await shared?.read(besides: former)
        // A server without an earlier list may have stored one that lost entries.
        if let stored, stored.checkedAt > former?.checkedAt ?? .distantPast,
            (try? requireSuccession(of: stored, from: .ledger, after: former)) != nil
        {
            base = stored.retaining(expiredOf: former, time)
            if let base, !base.isDue(time, after: share) { return Renewal(held: base, failure: nil) }
        }
        do throws(StatusListFailure) {
            let list = try await fetch.list(after: base)
                .retaining(expiredOf: base, time).retaining(expiredOf: stored, time)
            try requireSuccession(of: list, from: .server, after: base)
            await shared?.write(list)
            return Renewal(held: list, failure: nil)
        } catch {
            return Renewal(held: base, failure: error)
        }
    }

    private nonisolated func requireSuccession(
        of list: HeldStatusList, from source: StatusListRefusals.Source, after former: HeldStatusList?
    ) throws(StatusListFailure) {
        do throws(StatusListFailure) { try StatusListSuccession.require(list, after: former, time) } catch {
            refusals.note(list.list.digest, from: source, of: settings.url, error.outage)
            throw error
        }
    }

    private struct Renewal {
        let held: HeldStatusList?
        let failure: StatusListFailure?
    }

    private func finish(_ result: Renewal) {
        renewal = nil
        guard !isShutDown else { return }
        if let list = result.held {
            // A cache on the way may answer with an older list than this process has. Compared by uptime, which no change of the
            // clock affects. It is computed from dates: differences below a second do not count.
            last.withLock { held in
                if let former = held, list.checkedUptime < former.checkedUptime - .seconds(1) { return }
                held = list
            }
        }
        lastFailure = result.failure?.outage
        failing.set(result.failure == nil ? 0 : 1)
        if let failure = result.failure {
            failures += 1
            let pause = settings.pause.doubled(after: failures, atMost: settings.longestPause)
            let demanded = min(failure.retryAfter ?? .zero, Self.longestRetryAfter)
            nextAttempt = time.uptime() + max(pause * (0.5 + time.random() / 2), demanded)
        } else {
            failures = 0
            // A policy may demand a fresher list than caches serve. Without this pause, every judgement would send a
            // request.
            nextAttempt = time.uptime() + Self.spacing
        }
        resumeAll()
    }

    // MARK: Waiting

    private func waitForRenewal(atMost limit: Duration) async {
        let waiter = nextWaiter
        nextWaiter += 1
        let timer = Task {
            try await time.runOut(limit)
            leave(waiter)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiters[waiter] = $0 }
        } onCancel: {
            Task { await self.leave(waiter) }
        }
    }

    private func leave(_ waiter: Int) { waiters.removeValue(forKey: waiter)?.resume() }

    private func resumeAll() {
        let all = waiters
        waiters = [:]
        for waiter in all.values { waiter.resume() }
    }
}
