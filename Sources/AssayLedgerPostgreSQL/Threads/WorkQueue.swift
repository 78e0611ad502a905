import AssayCore
import Dispatch
import Synchronization

/// Work that threads take, several pieces at once.
final class WorkQueue<Item: Sendable>: Sendable {
    /// The most pieces that wait.
    static var limit: Int { 16_384 }

    /// Why a piece of work is not added.
    enum Refusal: Error {
        case isClosed
        case isFull

        /// The outage of a ledger.
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
                state.batches.append([item])
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
