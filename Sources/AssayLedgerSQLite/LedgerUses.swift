import AssayCore

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
