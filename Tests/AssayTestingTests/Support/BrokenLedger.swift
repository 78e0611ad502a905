import AssayCore
import AssayTesting
import Foundation

/// A ledger whose operations for operators have a defect, or none.
struct BrokenLedger: LedgerAdministration {
    enum Defect {
        /// Every operation finds an empty ledger.
        case storesNothing
        case purgesNothing
        /// Returns the number of entries that a purge would delete.
        case claimsToPurge
        /// Purges a second early.
        case purgesEarly
        /// Keeps nothing for the hour that it must.
        case purgesTooMuch
        /// Deletes blocks and allowances that have ended.
        case purgesStandings
        /// Exports all entries but the last.
        case exportsPartly
        /// Is durable, and has no hashes in its audit trail.
        case chainsNothing
        /// Chains the entries by hashes that are not those of their texts.
        case chainsOtherTexts
        /// Is durable, and has lost the first entry of its audit trail.
        case losesAuditEntries
        case recordsNothing
        /// Lets an allowance replace a block in force.
        case replacesBlocks
        /// Removes a standing of either kind.
        case removesOtherKinds
        case deniesStandings
        /// Looks for no block on subjects that a commit confirms.
        case ignoresConfirmations
        /// Returns the operators to revoke, and leaves them live.
        case keepsOperators
        /// Replaces any revision of a document.
        case ignoresRevisions
        /// Notes a change of a document also if another process was faster.
        case storesApart
        /// Returns tasks without a lease.
        case leasesTwice
        /// Judges a day ahead.
        case judgesInQuarantine
    }

    let defect: Defect?
    private let stored = purgingLedger()

    init(_ defect: Defect?) { self.defect = defect }

    private var base: MemoryLedger { defect == .storesNothing ? purgingLedger() : stored }

    var durability: LedgerDurability {
        switch defect {
        case .chainsNothing, .chainsOtherTexts, .losesAuditEntries: .durable
        default: .ephemeral
        }
    }

    var isWithoutStandings: Bool { defect == .deniesStandings || base.isWithoutStandings }

    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        let judged = effects.map { effect in
            guard defect == .ignoresConfirmations, case .confirmUnblocked = effect.action else { return effect }
            return LedgerEffect(effect.check, .confirmUnblocked(LedgerSubject(.issuer, "another")))
        }
        return try await base.commit(judged, at: defect == .judgesInQuarantine ? now + 86_400 : now)
    }

    func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock? {
        if defect == .replacesBlocks {
            try await base.removeStanding(of: allowance.subject, by: nil, at: allowance.since)
        }
        return try await base.allow(allowance)
    }

    func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] {
        if defect == .keepsOperators { return try await base.operators().filter { $0.name == name } }
        return try await base.revokeOperator(
            named: name, withDescendants: withDescendants, by: operatorName, at: now)
    }

    func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        guard defect == .ignoresRevisions else {
            return try await base.store(bytes, named: name, replacing: revision, at: now)
        }
        while true {
            let current = try await base.document(named: name)?.revision ?? 0
            if try await base.store(bytes, named: name, replacing: current, at: now) { return true }
        }
    }

    func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, recording changes: [LedgerChange], at now: Date
    ) async throws(LedgerOutage) -> Bool {
        guard defect == .storesApart else {
            return try await base.store(bytes, named: name, replacing: revision, recording: changes, at: now)
        }
        for change in changes { try await base.record(change) }
        return try await base.store(bytes, named: name, replacing: revision, at: now)
    }

    func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] {
        if defect == .leasesTwice { return try await base.tasks(in: queue, after: nil, atMost: limit) }
        return try await base.leaseTasks(in: queue, to: holder, until: end, atMost: limit, at: now)
    }

    func record(_ change: LedgerChange) async throws(LedgerOutage) {
        if defect != .recordsNothing { try await base.record(change) }
    }

    func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws {
        try await base.audit { entry in
            switch defect {
            case .losesAuditEntries where entry.number == 1: break
            case .chainsOtherTexts:
                let hashes = [entry.number - 1, entry.number].map { [UInt8](repeating: UInt8($0), count: 32) }
                try body(
                    LedgerAuditEntry(
                        number: entry.number, change: entry.change, previousHash: hashes[0], hash: hashes[1]))
            default: try body(entry)
            }
        }
    }

    func purge(at now: Date) async throws(LedgerOutage) -> Int {
        switch defect {
        case .purgesNothing: return 0
        case .claimsToPurge: return now < Date(timeIntervalSince1970: 1_776_795_192 + 3900) ? 0 : 3
        case .purgesEarly: return try await base.purge(at: now + 1)
        case .purgesTooMuch:
            let purged = try await base.purge(at: now)
            return purged == 0 ? 0 : try await purged + base.purge(at: now + LedgerRules.retention)
        case .purgesStandings:
            for standing in try await base.standings() where standing.until.map({ $0 < now }) ?? false {
                try await base.removeStanding(of: standing.subject, by: nil, at: now)
            }
            return try await base.purge(at: now)
        default: return try await base.purge(at: now)
        }
    }

    func export(_ body: (LedgerEntry) throws -> Void) async throws {
        var last: LedgerEntry?
        try await base.export { entry in
            if let last { try body(last) }
            last = entry
        }
        if let last, defect != .exportsPartly { try body(last) }
    }
}

/// What has no defect.
extension BrokenLedger {
    func issue(_ challenge: IssuedChallenge, at now: Date) async throws(LedgerOutage) {
        try await base.issue(challenge, at: now)
    }

    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? {
        try await base.enrolledKey(identifier)
    }

    func standings(of subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [LedgerStanding] {
        try await base.standings(of: subjects, at: now)
    }

    func block(_ block: LedgerBlock) async throws(LedgerOutage) { try await base.block(block) }

    func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        try await base.removeStanding(
            of: subject, only: defect == .removesOtherKinds ? nil : kind, by: operatorName, at: now)
    }

    func standings() async throws(LedgerOutage) -> [LedgerStanding] { try await base.standings() }

    func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey] { try await base.keys(of: account) }

    func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey? {
        try await base.move(key, to: account, by: operatorName, at: now)
    }

    func addOperator(_ new: LedgerOperator, tokenHash: [UInt8]) async throws(LedgerOutage) -> OperatorRefusal? {
        try await base.addOperator(new, tokenHash: tokenHash)
    }

    func operators() async throws(LedgerOutage) -> [LedgerOperator] { try await base.operators() }

    func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        try await base.liveOperator(tokenHash: tokenHash, at: now)
    }

    func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        try await base.document(named: name)
    }

    func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? {
        try await base.task(key, in: queue)
    }

    func putTask(
        _ key: [UInt8], in queue: String, dueAt: Date, bytes: [UInt8], replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await base.putTask(key, in: queue, dueAt: dueAt, bytes: bytes, replacing: revision, at: now)
    }

    func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await base.removeTask(key, in: queue, replacing: revision, at: now)
    }

    func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        try await base.leaseTask(key, in: queue, to: holder, until: end, at: now)
    }

    func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] {
        try await base.tasks(in: queue, after: key, atMost: limit)
    }

    func replayAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws -> [String] {
        try await base.replayAudit(body)
    }

    func check(
        _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws(LedgerOutage) -> [String] {
        try await base.check(keyProblem)
    }

    func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary { try await base.summary(at: now) }

    func quarantine(until end: Date, by operatorName: String?, at now: Date) async throws(LedgerOutage) {
        try await base.quarantine(until: end, by: operatorName, at: now)
    }

    func quarantineEnd() async throws(LedgerOutage) -> Date? { try await base.quarantineEnd() }
}
