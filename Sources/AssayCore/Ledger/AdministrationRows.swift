package import FoundationEssentials

/// The rows that operators change, as a ledger's storage finds and changes them. What a change does is the same in every ledger.
///
/// The caller makes the calls of a change one atomic step, which has no effect if one of them throws.
package protocol AdministrationRows {
    associatedtype Failure: Error

    func standing(of subject: LedgerSubject) throws(Failure) -> LedgerStanding?
    /// Stores a standing in place of that of its subject.
    mutating func set(_ standing: LedgerStanding) throws(Failure)
    mutating func deleteStanding(of subject: LedgerSubject) throws(Failure)
    func key(_ identifier: KeyIdentifier) throws(Failure) -> EnrolledKey?
    mutating func setAccount(_ account: String?, of key: KeyIdentifier) throws(Failure)
    /// The operators of a name, or all for nil, in any state.
    func operators(named name: String?) throws(Failure) -> [LedgerOperator]
    func hasOperator(tokenHash: [UInt8]) throws(Failure) -> Bool
    mutating func insert(_ new: LedgerOperator, tokenHash: [UInt8]) throws(Failure)
    mutating func revokeOperators(named name: String, by operatorName: String?, at now: Date) throws(Failure)
    /// Appends entries to the audit trail. A change calls it once.
    mutating func append(_ changes: [LedgerChange]) throws(Failure)
}

extension AdministrationRows {
    package mutating func append(_ change: LedgerChange) throws(Failure) { try append([change]) }

    /// Blocks a subject. Replaces its block or allowance.
    package mutating func block(_ block: LedgerBlock) throws(Failure) {
        try set(.blocked(block))
        try append(LedgerChange(setting: .blocked(block)))
    }

    /// Allows a subject what policy would refuse, unless it is blocked. Returns the block.
    package mutating func allow(_ allowance: LedgerAllowance) throws(Failure) -> LedgerBlock? {
        let block = LedgerRules.block(preventing: allowance, of: try standing(of: allowance.subject))
        guard block == nil else { return block }
        try set(.allowed(allowance))
        try append(LedgerChange(setting: .allowed(allowance)))
        return nil
    }

    /// Removes a block or an allowance, unless only the other kind is meant, and returns it.
    package mutating func removeStanding(
        of subject: LedgerSubject, only kind: LedgerStanding.Kind?, by operatorName: String?, at now: Date
    ) throws(Failure) -> LedgerStanding? {
        guard let standing = try standing(of: subject), kind ?? standing.kind == standing.kind else { return nil }
        try deleteStanding(of: subject)
        try append(LedgerChange(removing: standing, by: operatorName, at: now))
        return standing
    }

    /// Moves a key to another account. Returns the key as it was.
    package mutating func move(
        _ identifier: KeyIdentifier, to account: String?, by operatorName: String?, at now: Date
    ) throws(Failure) -> EnrolledKey? {
        guard let key = try key(identifier) else { return nil }
        if key.isOf(account: account) { return key }
        try setAccount(account, of: identifier)
        try append(LedgerChange(moving: key, to: account, by: operatorName, at: now))
        return key
    }

    /// Adds an operator, unless the rules refuse it.
    package mutating func add(_ new: LedgerOperator, tokenHash: [UInt8]) throws(Failure) -> OperatorRefusal? {
        let refusal = LedgerRules.refusal(
            adding: new, sameName: try operators(named: new.name), isTokenKnown: try hasOperator(tokenHash: tokenHash))
        if let refusal { return refusal }
        try insert(new, tokenHash: tokenHash)
        try append(LedgerChange(adding: new, tokenHash: tokenHash))
        return nil
    }

    /// Revokes all operators of a name, and their descendants. Returns the operators as they were.
    package mutating func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) throws(Failure) -> [LedgerOperator] {
        let descendants =
            withDescendants
            ? LedgerRules.descendants(ofOperator: name, among: try operators(named: nil), at: now) : []
        var revoked: [LedgerOperator] = []
        var entries: [LedgerChange] = []
        for (index, other) in ([name] + descendants).enumerated() {
            guard let previous = LedgerRules.revocable(among: try operators(named: other)) else { continue }
            try revokeOperators(named: other, by: operatorName, at: now)
            entries.append(
                LedgerChange(revoking: previous, asDescendantOf: index > 0 ? name : nil, by: operatorName, at: now))
            revoked.append(previous)
        }
        try append(entries)
        return revoked
    }
}
