import Synchronization

/// Follows the register of a ledger that other processes change: a change is in force within two seconds.
///
/// If the ledger does not answer, the state that was read last stays in force, and ``state`` has the outage.
package final class LedgerRegisterWatch<Content: LedgerRegisterContent>: Sendable {
    /// How long a state is used without reading the ledger.
    package static var lifetime: Duration { .seconds(2) }

    /// What the watch knows.
    package struct State: Sendable {
        /// The register; nil before the first read.
        package fileprivate(set) var content: Content?
        /// The revision of the document; 0 for none.
        package fileprivate(set) var revision: Int64 = 0
        /// Why the last read failed; nil if it did not.
        package fileprivate(set) var outage: LedgerOutage?
        /// The reads that failed since the start.
        package fileprivate(set) var failures = 0
        fileprivate var checkedAt: ContinuousClock.Instant?
        fileprivate var loading: (since: ContinuousClock.Instant, task: Task<Void, Never>)?
    }

    private let documents: any LedgerDocuments
    private let now: @Sendable () -> ContinuousClock.Instant
    private let shared = Mutex(State())

    /// Prepares a watch, and reads nothing yet.
    ///
    /// - Parameter now: the clock.
    package init(
        _ documents: any LedgerDocuments, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.documents = documents
        self.now = now
    }

    /// What the watch knows, without a read.
    package var state: State { shared.withLock { $0 } }

    /// The register, at most two seconds old unless the ledger does not answer. Concurrent callers share one read.
    ///
    /// - Throws: ``LedgerOutage`` if the register was never read. Later outages leave the last state in force.
    package func content() async throws(LedgerOutage) -> Content {
        try await current().content ?? Content()
    }

    /// What the watch knows, at most two seconds old; see ``content()``.
    package func current() async throws(LedgerOutage) -> State {
        let time = now()
        let (fresh, task): (State?, Task<Void, Never>?) = shared.withLock { state in
            if let checkedAt = state.checkedAt, time < checkedAt + Self.lifetime { return (state, nil) }
            if let loading = state.loading, time < loading.since + Self.lifetime { return (nil, loading.task) }
            // Not a child task: cancelling one caller must not cause an outage for the others.
            let task = Task { await self.read(at: time) }
            state.loading = (time, task)
            return (nil, task)
        }
        if let fresh { return try Self.required(fresh) }
        await task?.value
        return try Self.required(state)
    }

    private static func required(_ state: State) throws(LedgerOutage) -> State {
        if state.content == nil, let outage = state.outage { throw outage }
        return state
    }

    private func read(at time: ContinuousClock.Instant) async {
        let known = state
        let result: Result<(content: Content, revision: Int64), LedgerOutage>
        do throws(LedgerOutage) {
            let document = try await documents.document(named: Content.documentName)
            let revision = document?.revision ?? 0
            if let content = known.content, revision == known.revision {
                result = .success((content, revision))
            } else {
                let content = try document.map { (found) throws(LedgerOutage) in try Content(stored: found.bytes) }
                result = .success((content ?? Content(), revision))
            }
        } catch {
            result = .failure(error)
        }
        shared.withLock { state in
            if state.loading?.since == time { state.loading = nil }
            // A later read was faster.
            if let checkedAt = state.checkedAt, checkedAt > time { return }
            state.checkedAt = time
            switch result {
            case .success(let found):
                (state.content, state.revision, state.outage) = (found.content, found.revision, nil)
            case .failure(let outage):
                state.outage = outage
                state.failures += 1
            }
        }
    }
}
