import AssayCore
import Dispatch
import Foundation
import Synchronization

/// The threads of a ledger. libpq blocks them, and never a thread of Swift's cooperative pool.
final class LedgerThreads: Sendable {
    private let running = DispatchGroup()

    func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        running.enter()
        let running = running
        let thread = Thread {
            body()
            running.leave()
        }
        thread.name = name
        thread.start()
    }

    /// Waits until all threads have ended.
    func join() async {
        await withCheckedContinuation { continuation in
            running.notify(queue: .global()) { continuation.resume() }
        }
    }
}

/// Work that threads take, several pieces at once.
final class WorkQueue<Item: Sendable>: Sendable {
    /// The most pieces that wait.
    static var limit: Int { 16_384 }

    /// Why a piece of work is not added.
    enum Refusal: Error {
        case isClosed
        case isFull

        func outage(of place: String) -> LedgerOutage {
            switch self {
            case .isClosed: LedgerOutage(.unreachable, "\(place) has been closed")
            case .isFull:
                LedgerOutage(
                    .locked,
                    "\(WorkQueue.limit) operations wait for \(place) already; see whether the server answers, and spread the load"
                )
            }
        }
    }

    private struct State {
        /// What threads take at once: each but the last is full.
        var batches: [[Item]] = []
        var count = 0
        var isClosed = false
        /// How many threads wait for work.
        var sleepers = 0
        /// How much was taken the last time, for which there is room in the next batch from the beginning.
        var lastTaken = 0
    }

    private let batchLimit: Int
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    /// - Parameter batchLimit: the most pieces that a thread takes at once.
    init(batchLimit: Int) { self.batchLimit = batchLimit }

    /// Adds a piece of work, unless the queue is full or closed: returns that.
    func add(_ item: Item) -> Refusal? {
        let (refusal, isWaited): (Refusal?, Bool) = state.withLock { state in
            guard !state.isClosed else { return (.isClosed, false) }
            guard state.count < Self.limit else { return (.isFull, false) }
            if let last = state.batches.indices.last, state.batches[last].count < batchLimit {
                state.batches[last].append(item)
            } else {
                var batch: [Item] = []
                batch.reserveCapacity(state.lastTaken)
                batch.append(item)
                state.batches.append(batch)
            }
            state.count += 1
            guard state.sleepers > 0 else { return (nil, false) }
            state.sleepers -= 1
            return (nil, true)
        }
        if isWaited { wake.signal() }
        return refusal
    }

    /// Waits for work, and takes the first pieces. Nil after ``close()``, when nothing is left.
    func take() -> [Item]? {
        while true {
            let taken: [Item]?? = state.withLock { state in
                guard state.batches.isEmpty else {
                    let items = state.batches.removeFirst()
                    state.count -= items.count
                    state.lastTaken = items.count
                    return .some(items)
                }
                if state.isClosed { return .some(nil) }
                state.sleepers += 1
                return .none
            }
            if let taken { return taken }
            wake.wait()
        }
    }

    /// Refuses further work. Threads finish what is waiting.
    func close() {
        let sleepers = state.withLock { state in
            state.isClosed = true
            defer { state.sleepers = 0 }
            return state.sleepers
        }
        for _ in 0..<sleepers { wake.signal() }
    }
}

/// A statement that finds rows, and what takes them.
struct LookUp: Sendable {
    let step: Step
    /// When the caller gets an answer at the latest.
    let deadline: ContinuousClock.Instant
    let finish: @Sendable (Result<StatementRows, any Error>) -> Void
}

/// Finds rows for several callers in one round trip.
struct LookUpThread {
    /// The most look-ups of a round trip.
    static let limit = 64
    let queue: WorkQueue<LookUp>
    let target: ConnectionTarget

    /// Runs until the queue is closed and empty.
    func run() {
        let holder = ConnectionHolder(target, findsByKeys: true)
        var lastWatch: ContinuousClock.Instant?
        while let taken = queue.take() {
            let now = ContinuousClock.now
            let lookUps = taken.filter { !holder.isLate($0.deadline, at: now) }
            fail(taken.filter { holder.isLate($0.deadline, at: now) }, holder.lateness)
            if lookUps.isEmpty { continue }
            holder.limit = lookUps.map(\.deadline).min()
            var groups = lookUps.map { [$0.step] }
            let isWatching = lastWatch.map { now - $0 >= LedgerWatch.interval } ?? true
            // Last, so that it sees a move that the look-ups see.
            if isWatching { groups.append([target.watch.step(schema: "\"\(target.schema)\"")]) }
            let wasOpen = holder.isOpen
            do {
                try deliver(find(groups, holder), to: lookUps, isWatching, holder)
            } catch let failure as DatabaseFailure where wasOpen && failure.extent == .connection {
                // The server may have closed an idle connection. Reading again is safe.
                do { try deliver(find(groups, holder), to: lookUps, isWatching, holder) } catch {
                    fail(lookUps, error)
                    continue
                }
            } catch {
                fail(lookUps, error)
                continue
            }
            if isWatching { lastWatch = now }
        }
    }

    private func find(
        _ groups: [[Step]], _ holder: ConnectionHolder
    ) throws -> [Result<[StatementRows], DatabaseFailure>] {
        do {
            return try holder.current().run(groups, by: holder.deadline)
        } catch {
            holder.drop()
            throw error
        }
    }

    /// - Parameter isWatching: whether the last result is of the ledger itself. If it is another one, the connection is closed: the
    ///   next look-up opens one, and finds that too.
    private func deliver(
        _ results: [Result<[StatementRows], DatabaseFailure>], to lookUps: [LookUp], _ isWatching: Bool,
        _ holder: ConnectionHolder
    ) throws {
        if isWatching, let last = results.last {
            do { try target.watch.require(last.get()[0], at: target.place) } catch {
                holder.drop()
                throw error
            }
        }
        for (lookUp, result) in zip(lookUps, results) {
            lookUp.finish(result.map { $0[0] }.mapError { $0 })
        }
    }

    private func fail(_ lookUps: [LookUp], _ error: any Error) {
        for lookUp in lookUps { lookUp.finish(.failure(error)) }
    }
}

/// A thread with one connection, for changes by operators and snapshots, which take several round trips.
final class AdministrationThread: Sendable {
    private let queue = WorkQueue<@Sendable (ConnectionHolder) -> Void>(batchLimit: 1)
    private let place: String

    init(_ target: ConnectionTarget, demand: ConnectionHolder.Demand = .ledger, threads: LedgerThreads) {
        let queue = queue
        place = target.place
        threads.start("AssayLedger.office") {
            let holder = ConnectionHolder(target, demand: demand, findsByKeys: false)
            while let work = queue.take() { for piece in work { piece(holder) } }
        }
    }

    /// Runs `body` on the thread. A failure closes or resets the connection.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (ConnectionHolder) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let place = place
        let result: Result<Value, LedgerOutage> = await withCheckedContinuation { continuation in
            let refusal = queue.add { holder in
                do {
                    continuation.resume(returning: .success(try body(holder)))
                } catch {
                    continuation.resume(returning: .failure(LedgerOutage(error, at: place)))
                }
            }
            if let refusal { continuation.resume(returning: .failure(refusal.outage(of: place))) }
        }
        return try result.get()
    }

    /// Runs `body` on the thread, without waiting for it. Returns false if it will not run.
    func begin(_ body: @escaping @Sendable (ConnectionHolder) -> Void) -> Bool { queue.add(body) == nil }

    /// Ends the thread when its work is done.
    func close() { queue.close() }
}
