package import AssayCore

/// Why a ledger was not moved.
package struct LedgerCopyRefusal: Error, CustomStringConvertible {
    package let description: String
    /// Whether the copy differs from its source. Otherwise nothing was copied.
    package let isOfCopy: Bool
}

/// Moves the records of one ledger to another one.
package struct LedgerCopy {
    private let source: any MovableLedger
    private let from: String
    private let target: any MovableLedger
    private let to: String

    /// - Parameters:
    ///   - from: the place of the source, for messages.
    ///   - to: the place of the target, which the source's mark names.
    package init(source: any MovableLedger, from: String, target: any MovableLedger, to: String) {
        (self.source, self.from, self.target, self.to) = (source, from, target, to)
    }

    private var unfinished: LedgerMark { .unfinishedCopy(of: from) }

    private func refusal(_ description: String) -> LedgerCopyRefusal {
        LedgerCopyRefusal(description: description, isOfCopy: false)
    }

    /// Locks out the writers of the source, copies all records, and compares them. Continues an earlier move to the
    /// same place; if that was finished, copies nothing. Until the target is complete, no other program can open it, and when it is,
    /// every program that has the source open knows of the move.
    ///
    /// - Returns: the inventory of the moved records.
    /// - Throws: ``LedgerCopyRefusal``, and ``LedgerOutage``.
    package func run() async throws -> LedgerInventory {
        let earlier = try await source.mark()
        guard earlier == nil || earlier == .moved(to: to) else {
            throw refusal(earlier?.objection(to: from) ?? "")
        }
        var inventory = LedgerInventory()
        // An empty target of a ledger that is not empty was made anew: the copy begins again.
        if try await target.mark() == nil, earlier != nil {
            let isEmpty = try await isEmpty(target)
            if try await isEmpty ? self.isEmpty(source) : continues() { return try await Self.inventory(source) }
            guard isEmpty else {
                throw refusal(
                    "\(to) is another ledger, and not the copy of \(from) that was moved there: it lacks entries that a ledger "
                        + "keeps for good. Bring the copy back, or name an empty ledger at that place")
            }
        }
        try await claimTarget()
        if let other = try await source.beginMove(to: to), other != .moved(to: to) {
            throw refusal(other.objection(to: from))
        }
        // Programs that have the source open look whether it was moved once a second.
        let known = ContinuousClock.now + .milliseconds(1100)
        try await source.records { records in
            for record in records { inventory.add(record) }
            try await target.insert(records)
        }
        if let difference = try await inventory.difference(from: Self.inventory(target)) {
            throw LedgerCopyRefusal(
                description:
                    "\(from) and \(to) differ: \(difference). Do not use the copy; --cancel lets writers into \(from) again",
                isOfCopy: true)
        }
        try await Task.sleep(until: known)
        guard try await target.changeMark(from: unfinished, to: nil) else {
            throw refusal("the migration from \(from) to \(to) was cancelled by another command")
        }
        return inventory
    }

    /// Whether the target of a finished move is the copy of the source: it has all that a ledger keeps for good. A source without
    /// such entries must be equal.
    private func continues() async throws -> Bool {
        var missing: Set<[UInt8]> = []
        try await source.records { records in missing.formUnion(records.compactMap(\.lastingFingerprint)) }
        if missing.isEmpty {
            return try await Self.inventory(source).difference(from: Self.inventory(target)) == nil
        }
        try await target.records { records in missing.subtract(records.compactMap(\.lastingFingerprint)) }
        return missing.isEmpty
    }

    /// Marks an empty target as an unfinished copy of the source. Continues if it has this mark already.
    private func claimTarget() async throws {
        switch try await target.mark() {
        case unfinished: return
        case let other?: throw refusal(other.objection(to: to))
        case nil: break
        }
        guard try await isEmpty(target) else { throw refusal("\(to) is not empty; name a new ledger") }
        guard try await target.changeMark(from: nil, to: unfinished) else {
            throw refusal("another migration to \(to) has begun; name a new ledger")
        }
        // A server may have written before the mark was set. From the mark on, the target refuses it.
        guard try await isEmpty(target) else {
            _ = try await target.changeMark(from: unfinished, to: nil)
            throw refusal("\(to) is in use; name a new ledger")
        }
    }

    /// Lets writers into the source again. The target keeps a mark: no program can open it, and a copy in progress
    /// cannot finish.
    ///
    /// - Throws: ``LedgerCopyRefusal`` if the move was not begun, or is finished; and ``LedgerOutage``.
    package func cancel() async throws {
        guard let mark = try await source.mark() else { throw refusal("\(from) was not moved") }
        guard mark == .moved(to: to) else { throw refusal(mark.objection(to: from)) }
        let cancelled = LedgerMark.cancelledCopy(of: from)
        var found = try await target.mark()
        // An empty ledger without a mark has replaced a lost target.
        if found == nil, try await isEmpty(target), try await !isEmpty(source) {
            _ = try await target.changeMark(from: nil, to: unfinished)
            found = unfinished
        }
        if found == unfinished { _ = try await target.changeMark(from: unfinished, to: cancelled) }
        switch try await target.mark() {
        case cancelled: try await source.cancelMove()
        case let other?: throw refusal(other.objection(to: to))
        case nil: throw refusal("the move from \(from) to \(to) is finished; move the ledger back to a new place")
        }
    }

    private func isEmpty(_ ledger: any MovableLedger) async throws -> Bool {
        do {
            try await ledger.records { records in if !records.isEmpty { throw FoundRecord() } }
            return true
        } catch is FoundRecord {
            return false
        }
    }

    private struct FoundRecord: Error {}

    private static func inventory(_ ledger: any MovableLedger) async throws -> LedgerInventory {
        var inventory = LedgerInventory()
        try await ledger.records { records in for record in records { inventory.add(record) } }
        return inventory
    }
}
