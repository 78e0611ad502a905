public import AssayCore
public import FoundationEssentials

extension PostgreSQLLedger {
    /// Blocks a subject. Replaces its block or allowance.
    public func block(_ block: LedgerBlock) async throws(LedgerOutage) {
        try await change { change in try change.set(.blocked(block)) }
    }

    /// Allows a subject what policy would refuse, unless it is blocked. Returns the block.
    @discardableResult
    public func allow(_ allowance: LedgerAllowance) async throws(LedgerOutage) -> LedgerBlock? {
        try await change { change in
            let found = try change.run(change.tables.standing(of: allowance.subject))
            let standing = try found.first("standing") { (row) throws(StoredValueError) in try row.standing() }
            let block = LedgerRules.block(preventing: allowance, of: standing)
            if block == nil { try change.set(.allowed(allowance)) }
            return block
        }
    }

    /// Removes the subject's block or allowance, and returns it.
    @discardableResult
    public func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> LedgerStanding? {
        try await change { change in
            let removed = try change.run(change.tables.removeStanding(of: subject, only: kind))
            guard let standing = try removed.first("standing", { (row) throws(StoredValueError) in try row.standing() })
            else { return nil }
            try change.append(LedgerChange(removing: standing, by: operatorName, at: now))
            return standing
        }
    }

    /// All blocks and allowances, sorted by kind and name.
    public func standings() async throws(LedgerOutage) -> [LedgerStanding] {
        let query = Statement("SELECT \(LedgerStatements.standingColumns) FROM \(statements.schema).standing")
        return try await find(Step(query)) { rows in
            try rows.map("standing") { (row) throws(StoredValueError) in try row.standing() }
        }.sorted { $0.subject.precedes($1.subject) }
    }

    /// The enrolled keys of an account, in the order of their enrolment.
    public func keys(of account: String) async throws(LedgerOutage) -> [EnrolledKey] {
        var parameters = Parameters()
        parameters.add(text: account)
        let query = Statement(
            """
            SELECT \(LedgerStatements.keyColumns) FROM \(statements.schema).enrolled_key
            WHERE account IS NOT NULL AND sha256(account) = sha256($1) AND account = $1
            """)
        return try await find(Step(query, parameters)) { rows in
            try rows.map("enrolled_key") { (row) throws(StoredValueError) in try row.key() }
        }.sorted { $0.precedes($1) }
    }

    /// Moves an enrolled key to another account.
    @discardableResult
    public func move(
        _ key: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> EnrolledKey? {
        try await change { change in
            let found = try change.run(change.tables.lockKey(key))
            guard let stored = try found.first("enrolled_key", { (row) throws(StoredValueError) in try row.key() })
            else { return nil }
            if stored.isOf(account: account) { return stored }
            _ = try change.run(change.tables.move(key, to: account))
            try change.append(LedgerChange(moving: stored, to: account, by: operatorName, at: now))
            return stored
        }
    }

    /// Adds an operator.
    public func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal? {
        try await change { change in
            let sameName = try change.operators(named: new.name)
            let known = try change.run(change.tables.findOperator(tokenHash))
            if let refusal = LedgerRules.refusal(adding: new, sameName: sameName, isTokenKnown: known.count > 0) {
                return refusal
            }
            _ = try change.run(change.tables.insert(new, tokenHash: tokenHash))
            try change.append(LedgerChange(adding: new, tokenHash: tokenHash))
            return nil
        }
    }

    /// Revokes the operator of a name, and its descendants, and returns them as they were.
    @discardableResult
    public func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] {
        try await change { change in
            let descendants =
                withDescendants
                ? LedgerRules.descendants(ofOperator: name, among: try change.operators(), at: now) : []
            var revoked: [LedgerOperator] = []
            var entries: [LedgerChange] = []
            for (index, other) in ([name] + descendants).enumerated() {
                guard let previous = LedgerRules.revocable(among: try change.operators(named: other)) else { continue }
                _ = try change.run(change.tables.revokeOperators(named: other, by: operatorName, at: now))
                entries.append(
                    LedgerChange(
                        revoking: previous, asDescendantOf: index > 0 ? name : nil, by: operatorName, at: now))
                revoked.append(previous)
            }
            try change.append(entries)
            return revoked
        }
    }

    /// All operators, sorted by name and time.
    public func operators() async throws(LedgerOutage) -> [LedgerOperator] {
        let query = Statement("SELECT \(LedgerStatements.operatorColumns) FROM \(statements.schema).operator")
        return try await find(Step(query)) { rows in
            try rows.map("operator") { (row) throws(StoredValueError) in try row.storedOperator().operator }
        }.sorted { $0.precedes($1) }
    }

    /// The operator whose token has a hash and counts at a time.
    public func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        var parameters = Parameters()
        parameters.add(tokenHash)
        let stored = try await find(Step(statements.findOperator, parameters)) { rows in
            try rows.first("operator") { (row) throws(StoredValueError) in try row.storedOperator().operator }
        }
        return stored.flatMap { $0.state(at: now) == .live ? $0 : nil }
    }

    /// Appends an entry to the audit trail, and changes nothing else.
    public func record(_ change: LedgerChange) async throws(LedgerOutage) {
        try await self.change { try $0.append(change) }
    }

    /// Makes a change by an operator in a transaction of its own, which locks the audit trail.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (ManualChange) throws -> Value
    ) async throws(LedgerOutage) -> Value {
        let (statements, place) = (statements, place)
        return try await office.run { holder in
            try ManualChange.run(holder, statements, place: place, body)
        }
    }
}
