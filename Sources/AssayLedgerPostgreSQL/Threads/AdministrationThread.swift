import AssayCore

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
