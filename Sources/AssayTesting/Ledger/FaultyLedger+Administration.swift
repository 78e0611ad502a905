public import AssayCore
public import FoundationEssentials

extension FaultyLedger: LedgerAdministration, LedgerDocuments, LedgerTasks where Base: LedgerAdministration {
    /// Blocks a subject, unless the plan has a fault.
    public func block(_ block: LedgerBlock) async throws(LedgerOutage) {
        try await perform(.block) { (base) throws(LedgerOutage) in try await base.block(block) }
    }

    /// Allows a subject, unless the plan has a fault.
    @discardableResult
    public func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock? {
        try await perform(.allow) { (base) throws(LedgerOutage) in try await base.allow(allowance) }
    }

    /// Removes the standing of a subject, unless the plan has a fault.
    @discardableResult
    public func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        try await perform(.removeStanding) { (base) throws(LedgerOutage) in
            try await base.removeStanding(of: subject, only: kind, by: operatorName, at: now)
        }
    }

    /// All standings, unless the plan has a fault.
    public func standings() async throws(LedgerOutage) -> [LedgerStanding] {
        try await perform(.allStandings) { (base) throws(LedgerOutage) in try await base.standings() }
    }

    /// The keys of an account, unless the plan has a fault.
    public func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey] {
        try await perform(.keys) { (base) throws(LedgerOutage) in try await base.keys(of: account) }
    }

    /// Moves a key to another account, unless the plan has a fault.
    @discardableResult
    public func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey? {
        try await perform(.move) { (base) throws(LedgerOutage) in
            try await base.move(key, to: account, by: operatorName, at: now)
        }
    }

    /// Adds an operator, unless the plan has a fault.
    public func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal? {
        try await perform(.addOperator) { (base) throws(LedgerOutage) in
            try await base.addOperator(new, tokenHash: tokenHash)
        }
    }

    /// Revokes operators, unless the plan has a fault.
    @discardableResult
    public func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] {
        try await perform(.revokeOperator) { (base) throws(LedgerOutage) in
            try await base.revokeOperator(named: name, withDescendants: withDescendants, by: operatorName, at: now)
        }
    }

    /// All operators, unless the plan has a fault.
    public func operators() async throws(LedgerOutage) -> [LedgerOperator] {
        try await perform(.operators) { (base) throws(LedgerOutage) in try await base.operators() }
    }

    /// The operator of a token, unless the plan has a fault.
    public func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        try await perform(.liveOperator) { (base) throws(LedgerOutage) in
            try await base.liveOperator(tokenHash: tokenHash, at: now)
        }
    }

    /// The document of a name, unless the plan has a fault.
    public func document(named name: String) async throws(LedgerOutage) -> LedgerDocument? {
        try await perform(.document) { (base) throws(LedgerOutage) in try await base.document(named: name) }
    }

    /// Stores a document, unless the plan has a fault.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await perform(.storeDocument) { (base) throws(LedgerOutage) in
            try await base.store(bytes, named: name, replacing: revision, at: now)
        }
    }

    /// Stores a document with entries of the audit trail, unless the plan has a fault.
    public func store(
        _ bytes: [UInt8], named name: String, replacing revision: Int64, recording changes: [LedgerChange], at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await perform(.storeDocument) { (base) throws(LedgerOutage) in
            try await base.store(bytes, named: name, replacing: revision, recording: changes, at: now)
        }
    }

    /// The task of a key, unless the plan has a fault.
    public func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask? {
        try await perform(.task) { (base) throws(LedgerOutage) in try await base.task(key, in: queue) }
    }

    /// Stores a task, unless the plan has a fault.
    public func putTask(
        _ key: [UInt8], in queue: String, dueAt: Date, bytes: [UInt8], replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await perform(.putTask) { (base) throws(LedgerOutage) in
            try await base.putTask(key, in: queue, dueAt: dueAt, bytes: bytes, replacing: revision, at: now)
        }
    }

    /// Removes a task, unless the plan has a fault.
    public func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool {
        try await perform(.removeTask) { (base) throws(LedgerOutage) in
            try await base.removeTask(key, in: queue, replacing: revision, at: now)
        }
    }

    /// Leases tasks that are due, unless the plan has a fault.
    public func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask] {
        try await perform(.leaseTasks) { (base) throws(LedgerOutage) in
            try await base.leaseTasks(in: queue, to: holder, until: end, atMost: limit, at: now)
        }
    }

    /// Leases the task of a key, unless the plan has a fault.
    public func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask? {
        try await perform(.leaseTask) { (base) throws(LedgerOutage) in
            try await base.leaseTask(key, in: queue, to: holder, until: end, at: now)
        }
    }

    /// Tasks of a queue, unless the plan has a fault.
    public func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask] {
        try await perform(.tasks) { (base) throws(LedgerOutage) in
            try await base.tasks(in: queue, after: key, atMost: limit)
        }
    }

    /// Appends an entry to the audit trail, unless the plan has a fault.
    public func record(_ change: LedgerChange) async throws(LedgerOutage) {
        try await perform(.record) { (base) throws(LedgerOutage) in try await base.record(change) }
    }

    /// Passes the audit trail to `body`, unless the plan has a fault.
    public func audit(_ body: (LedgerAuditEntry) throws -> Void) async throws {
        let fault = note(.audit)
        if case .outage(let outage) = fault { throw outage }
        try await base.audit(body)
        try await end(fault)
    }

    /// Replays the audit trail, unless the plan has a fault.
    public func replayAudit(_ body: (LedgerAuditEntry) throws -> Void) async throws -> [String] {
        let fault = note(.audit)
        if case .outage(let outage) = fault { throw outage }
        let problems = try await base.replayAudit(body)
        try await end(fault)
        return problems
    }

    /// Purges, unless the plan has a fault.
    @discardableResult
    public func purge(at now: Date) async throws(LedgerOutage) -> Int {
        try await perform(.purge) { (base) throws(LedgerOutage) in try await base.purge(at: now) }
    }

    /// Checks the base ledger, unless the plan has a fault.
    public func check(
        _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws(LedgerOutage) -> [String] {
        try await perform(.check) { (base) throws(LedgerOutage) in try await base.check(keyProblem) }
    }

    /// Looks for settings at risk, unless the plan has a fault.
    public func settingProblems() async throws(LedgerOutage) -> [String] {
        try await perform(.settingProblems) { (base) throws(LedgerOutage) in try await base.settingProblems() }
    }

    /// Shows that the ledger takes writes, unless the plan has a fault.
    public func proveWritable(at now: Date) async throws(LedgerOutage) {
        try await perform(.proveWritable) { (base) throws(LedgerOutage) in try await base.proveWritable(at: now) }
    }

    /// Puts the ledger in quarantine, unless the plan has a fault.
    public func quarantine(until end: Date, by operatorName: String?, at now: Date) async throws(LedgerOutage) {
        try await perform(.quarantine) { (base) throws(LedgerOutage) in
            try await base.quarantine(until: end, by: operatorName, at: now)
        }
    }

    /// The end of the quarantine, unless the plan has a fault.
    public func quarantineEnd() async throws(LedgerOutage) -> Date? {
        try await perform(.quarantineEnd) { (base) throws(LedgerOutage) in try await base.quarantineEnd() }
    }

    /// Passes every entry to `body`, unless the plan has a fault.
    public func export(_ body: (LedgerEntry) throws -> Void) async throws {
        let fault = note(.export)
        if case .outage(let outage) = fault { throw outage }
        try await base.export(body)
        try await end(fault)
    }

    /// Counts the entries, unless the plan has a fault.
    public func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary {
        try await perform(.summary) { (base) throws(LedgerOutage) in try await base.summary(at: now) }
    }
}
