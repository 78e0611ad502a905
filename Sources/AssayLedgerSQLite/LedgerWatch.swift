import AssayCore
import Foundation
import Synchronization

/// What a process knows of its ledger for at most a second: that the open file is the ledger at its path, that it was not moved, and
/// when its quarantine ends.
///
/// Each operation compares the clock that it has read anyway. The first one in each second looks at the files and at the rows.
final class LedgerWatch: Sendable {
    private static let interval: UInt64 = 1_000_000_000

    private let path: String
    private let files: LedgerFiles
    /// Whether a migration uses the ledger, which has a mark then.
    private let isMoving: Bool
    /// The last failure of the disk.
    let failure = StorageFailure()
    private let lastCheck = Atomic<UInt64>(0)
    /// The end of the quarantine, as a Date stores it. Negative infinity for none: a wrong clock
    /// can be before `distantPast`.
    private let quarantine = Atomic<UInt64>((-Double.infinity).bitPattern)
    /// Why the file is not the ledger any more. It stays: another process may have used a file with another log meanwhile.
    private let loss = Mutex<LedgerOutage?>(nil)
    /// What an older ledger may lack: the last entry of the audit trail that was seen, and the last uses.
    private let seen = Mutex((trail: (number: 0, hash: LedgerAuditEntry.noHash), uses: LedgerUses()))
    /// Whether this process is done with the ledger. SQLite removes the log then.
    private let isClosed = Atomic<Bool>(false)

    /// - Parameter files: the open files.
    init(_ files: LedgerFiles, path: String, isMoving: Bool) {
        (self.files, self.path, self.isMoving) = (files, path, isMoving)
    }

    /// The time for ``isDue(at:)``, in nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    /// Whether the last check is a second old.
    @inline(__always)
    func isDue(at now: UInt64) -> Bool { now &- lastCheck.load(ordering: .relaxed) >= Self.interval }

    /// Ends the looks at files, which closing may remove.
    func close() { isClosed.store(true, ordering: .relaxed) }

    /// Makes the next operation check.
    func expire() { lastCheck.store(0, ordering: .relaxed) }

    /// Looks at the files alone, before a connection uses them: SQLite reports a log that is missing as a failure of the disk.
    ///
    /// - Throws: ``LedgerOutage`` with ``OutageCode/wrongLedger``.
    func requireFiles() throws(LedgerOutage) {
        let found = loss.withLock { loss in
            let found = loss ?? objection
            // Later operations do not rely on the last check.
            if found != nil { expire() }
            loss = Self.lasting(found)
            return found
        }
        if let found { throw found }
    }

    /// What stays until the ledger is opened anew.
    private static func lasting(_ outage: LedgerOutage?) -> LedgerOutage? {
        outage?.code == .wrongLedger ? outage : nil
    }

    private var objection: LedgerOutage? { isClosed.load(ordering: .relaxed) ? nil : files.objection }

    /// The cause of an outage: of a file that was removed or replaced, SQLite reports what it happens to meet first.
    func cause(_ error: any Error) -> LedgerOutage {
        let outage = LedgerOutage(error, path: path)
        guard [.unreachable, .inputOutput, .corrupt].contains(outage.code) else { return outage }
        do throws(LedgerOutage) { try requireFiles() } catch { return error }
        return outage
    }

    /// Looks at the files and at the rows that concern the whole ledger.
    ///
    /// - Parameters:
    ///   - rows: of a connection that sees all commits up to now, or those up to an earlier time.
    ///   - isLatest: whether it sees all up to now. Then an audit trail that lacks what was seen, and a use that is missing, show
    ///     that an older ledger was written into the same file.
    /// - Throws: ``LedgerOutage`` with ``OutageCode/wrongLedger``; and the errors of the query.
    func check(at now: UInt64, _ rows: some RowFinder, isLatest: Bool) throws {
        try loss.withLock { loss in
            guard isDue(at: now) else { return }
            var found = loss ?? objection
            if found == nil, isLatest { found = try lostEntries(rows) }
            loss = Self.lasting(found)
            if let found {
                expire()
                throw found
            }
            if !isMoving, let mark = try rows.mark() { throw mark.outage(of: path) }
            setQuarantine(until: try rows.quarantineEnd())
            if isLatest { lastCheck.store(now, ordering: .relaxed) }
        }
    }

    /// Keeps the last uses of a durable transaction.
    func note(_ writes: [TimedWrite], _ answers: [Result<LedgerAnswer, LedgerOutage>]) {
        seen.withLock { $0.uses.append(writes, answers) }
    }

    private func lostEntries(_ rows: some RowFinder) throws -> LedgerOutage? {
        let lost: String? = try seen.withLock { seen in
            let trail = seen.trail
            if trail.number > 0, try rows.hash(ofEntry: trail.number) != trail.hash {
                return "entry \(trail.number) of the audit trail"
            }
            if let use = try seen.uses.lost(from: rows) {
                return "a use that this process has stored for \(use.check.name)"
            }
            seen.trail = try rows.trailEnd()
            return nil
        }
        return lost.map { LedgerFiles.olderContents(path, lacking: $0) }
    }

    /// The end of the quarantine, as it was known at the last check.
    var quarantineEnd: Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: quarantine.load(ordering: .relaxed)))
    }

    func setQuarantine(until end: Date?) {
        let end = end?.timeIntervalSinceReferenceDate ?? -Double.infinity
        quarantine.store(end.bitPattern, ordering: .relaxed)
    }
}

/// The last uses of evidence that this process has stored. If the ledger lacks one, an older ledger was written into its file.
struct LedgerUses {
    /// The last use before the last look, and the first and the last one since: uses that are stored in the older ledger do not show
    /// the loss.
    private struct Kept {
        var uses: [LedgerEffect] = []

        mutating func append(_ use: LedgerEffect) {
            if uses.count == 3 { uses.removeLast() }
            uses.append(use)
        }
    }

    /// Counters, digests and new keys: a ledger from before the use lacks them.
    private var lasting = Kept()
    /// Challenges and refreshed keys: an older ledger may lack the row, which proves no loss.
    private var others = Kept()

    /// Keeps one use of a durable transaction, a lasting one if there is any.
    mutating func append(_ writes: [TimedWrite], _ answers: [Result<LedgerAnswer, LedgerOutage>]) {
        var other: LedgerEffect?
        for index in answers.indices.reversed() {
            guard case .commit(let effects) = writes[index].write, case .success(let answer) = answers[index],
                answer.isChange
            else { continue }
            for effect in effects where effect.action.isChange {
                switch effect.action {
                case .consumeChallenge: other = other ?? effect
                case .enrol(_, let rules) where rules.refreshKeeping != nil: other = other ?? effect
                default: return lasting.append(effect)
                }
            }
        }
        if let other { others.append(other) }
    }

    /// A use that the ledger lacks; nil for none.
    mutating func lost(from rows: some RowFinder) throws -> LedgerEffect? {
        for use in lasting.uses + others.uses {
            // A damaged row is an outage for its own evidence only.
            do { if try !rows.has(use.action) { return use } } catch is StoredValueError {}
        }
        lasting.uses = Array(lasting.uses.suffix(1))
        others.uses = Array(others.uses.suffix(1))
        return nil
    }
}

extension RowFinder {
    /// Whether the ledger has what an applied action stored, or has purged it. No program deletes a key.
    fileprivate func has(_ action: LedgerEffect.Action) throws -> Bool {
        switch action.row {
        case .challenge(let value):
            // One that is missing may be purged, which leaves no trace. It is refused.
            guard let stored = try challenge(value) else { return true }
            return stored.consumedAt != nil
        case .key(let identifier):
            guard case .advanceCounter(let advance) = action else { return try ownerRow(identifier) != nil }
            guard let counters = try counterRow(advance)?.counters else { return false }
            return counters.greatest >= advance.counter && !counters.isSkipped(advance.counter)
        case .digest(let digest):
            guard try timeOfUse(digest) == nil, case .rememberDigest(let use) = action else { return true }
            let purged = try latestPurged(app: use.app, kind: use.kind)
            return purged.map { use.madeAt.microseconds <= $0.microseconds } ?? false
        case .standing: return true
        }
    }
}
