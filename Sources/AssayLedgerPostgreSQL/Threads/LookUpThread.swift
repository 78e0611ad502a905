import AssayCore

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
