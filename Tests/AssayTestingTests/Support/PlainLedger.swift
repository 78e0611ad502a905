import AssayCore
import AssayTesting
import Foundation

/// A ledger without the operations for operators, with a defect or without.
actor PlainLedger: Ledger {
    enum Defect {
        /// Applies every effect, and stores nothing.
        case appliesAll
        /// Applies the effects of a commit one by one.
        case appliesPartly
        /// Judges every commit at the same time.
        case ignoresTime
        /// Forgets everything in an hour, and that it did.
        case forgetsDigests
        /// Decides on what was stored when the commit began, and stores later.
        case losesUpdates
    }

    nonisolated let durability: LedgerDurability
    private let defect: Defect?
    private var base: MemoryLedger
    private var firstCommit: Date?
    /// What a ledger that loses updates has stored.
    private var stored: [(effects: [LedgerEffect], time: Date)] = []
    private var challenges: [IssuedChallenge] = []

    init(_ base: MemoryLedger, defect: Defect? = nil) {
        durability = defect == .appliesAll ? .durable : base.durability
        self.base = base
        self.defect = defect
    }

    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        if defect == .appliesAll { return }
        challenges.append(challenge)
        try await base.issue(challenge, at: now)
    }

    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await (defect == .losesUpdates ? replay() : base).enrolledKey(identifier)
    }

    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] {
        try await base.standings(of: subjects, at: now)
    }

    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        switch defect {
        case nil:
            return try await base.commit(effects, at: now)
        case .appliesAll:
            return CommitOutcome(decisions: effects.map { _ in nil })
        case .appliesPartly:
            var decisions: [LedgerRefusal?] = []
            for effect in effects { decisions += try await base.commit([effect], at: now).decisions }
            return CommitOutcome(decisions: decisions)
        case .ignoresTime:
            return try await base.commit(effects, at: .distantPast)
        case .forgetsDigests:
            if now.timeIntervalSince(firstCommit ?? now) > 3600 { base = purgingLedger() }
            firstCommit = firstCommit ?? now
            return try await base.commit(effects, at: now)
        case .losesUpdates:
            let outcome = try await replay().commit(effects, at: now)
            // Others decide meanwhile.
            for _ in 0..<100 { await Task.yield() }
            if outcome.isApplied { stored.append((effects, now)) }
            return outcome
        }
    }

    private func replay() async throws(LedgerOutage) -> MemoryLedger {
        let ledger = purgingLedger()
        for challenge in challenges { try await ledger.issue(challenge, at: challenge.issuedAt) }
        for (effects, time) in stored { _ = try await ledger.commit(effects, at: time) }
        return ledger
    }
}
