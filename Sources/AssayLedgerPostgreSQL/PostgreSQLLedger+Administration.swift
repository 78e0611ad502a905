public import AssayCore
public import FoundationEssentials

extension PostgreSQLLedger {
    /// Blocks a subject. Replaces its block or allowance.
    public func block(_ block: LedgerBlock) async throws(LedgerOutage) {
        try await change { change in try change.block(block) }
    }

    /// Allows a subject what policy would refuse, unless it is blocked. Returns the block.
    @discardableResult
    public func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock? {
        try await change { change in try change.allow(allowance) }
    }

    /// Removes the subject's block or allowance, and returns it.
    @discardableResult
    public func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        try await change { change in try change.removeStanding(of: subject, only: kind, by: operatorName, at: now) }
    }

    /// All blocks and allowances, sorted by kind and name.
    public func standings() async throws(LedgerOutage) -> [LedgerStanding] {
        try await find(all: LedgerTables.standings, Step(LedgerTables.standings.query(statements.schema)))
            .sorted { $0.subject.precedes($1.subject) }
    }

    /// The enrolled keys of an account, in the order of their enrolment.
    public func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey] {
        let query = LedgerTables.keys.query(
            statements.schema, "WHERE account IS NOT NULL AND sha256(account) = sha256($1) AND account = $1")
        return try await find(all: LedgerTables.keys, Step(query, account)).sorted { $0.precedes($1) }
    }

    /// Moves an enrolled key to another account.
    @discardableResult
    public func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey? {
        try await change { change in try change.move(key, to: account, by: operatorName, at: now) }
    }

    /// Adds an operator.
    public func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal? {
        try await change { change in try change.add(new, tokenHash: tokenHash) }
    }

    /// Revokes the operator of a name, and its descendants, and returns them as they were.
    @discardableResult
    public func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] {
        try await change { change in
            try change.revokeOperator(named: name, withDescendants: withDescendants, by: operatorName, at: now)
        }
    }

    /// All operators, sorted by name and time.
    public func operators() async throws(LedgerOutage) -> [LedgerOperator] {
        try await find(all: LedgerTables.operators, Step(LedgerTables.operators.query(statements.schema)))
            .map(\.operator).sorted { $0.precedes($1) }
    }

    /// The operator whose token has a hash and counts at a time.
    public func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        let stored = try await find(first: LedgerTables.operators, Step(statements.findOperator, tokenHash))?.operator
        return stored.flatMap { $0.state(at: now) == .live ? $0 : nil }
    }

    /// Appends an entry to the audit trail, and changes nothing else.
    public func record(_ change: LedgerChange) async throws(LedgerOutage) {
        try await self.change { try $0.append(change) }
    }

    /// Makes a change by an operator in a transaction of its own, which locks the audit trail.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout ManualChange) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let (statements, place) = (statements, place)
        return try await office.run { holder in
            try ManualChange.run(holder, statements, place: place, body)
        }
    }
}
