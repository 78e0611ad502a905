public import AssayCore
public import FoundationEssentials

extension SQLiteLedger {
    /// Adds an operator.
    public func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal? {
        guard case .addedOperator(let refusal) = try await writer.submit(.addOperator(new, tokenHash), at: new.addedAt)
        else { throw LedgerOutage(.internalError, "adding an operator to \(path) gave no answer") }
        return refusal
    }

    /// Revokes the operators with a name, and their descendants. Returns the operators in their former state.
    @discardableResult
    public func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] {
        guard
            case .revokedOperators(let previous) = try await writer.submit(
                .revokeOperator(name, withDescendants: withDescendants, by: operatorName), at: now)
        else { throw LedgerOutage(.internalError, "revoking an operator of \(path) gave no answer") }
        return previous
    }

    /// Appends an entry to the audit trail, and changes nothing else.
    public func record(_ change: LedgerChange) async throws(LedgerOutage) {
        _ = try await writer.submit(.record(change), at: change.at)
    }

    /// All operators, sorted by name and time.
    public func operators() async throws(LedgerOutage) -> [LedgerOperator] {
        try await read { db in try LedgerTables(db).operators() }
    }

    /// The live operator with the hash of a token, at a time; nil for none.
    public func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        let stored = try await lookUp { rows in try rows.storedOperator(tokenHash: tokenHash) }
        return stored.flatMap { $0.state(at: now) == .live ? $0 : nil }
    }
}
