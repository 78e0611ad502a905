public import AssayCore
import Foundation
public import FoundationEssentials
import GRDB

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
        let stored = try await storedOperator(tokenHash: tokenHash)
        return stored.flatMap { $0.state(at: now) == .live ? $0 : nil }
    }
}

/// The statements on the operators of a service, on one connection. The caller holds the transaction.
extension LedgerTables {
    static let operatorColumns =
        "tokenHash, name, role, addedAt, addedBy, until, revokedAt, revokedBy FROM operator"

    fileprivate static let findOperator = LedgerSQL("SELECT \(operatorColumns) WHERE tokenHash = ?")
    static let operatorValues = """
        INTO operator (tokenHash, name, role, addedAt, addedBy, until, revokedAt, revokedBy)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let insertOperator = LedgerSQL("INSERT \(operatorValues)")
    private static let revokeOperators = LedgerSQL(
        "UPDATE operator SET revokedAt = ?, revokedBy = ? WHERE name = ? AND revokedAt IS NULL")

    static func storedOperator(_ row: StoredCells) throws -> (tokenHash: [UInt8], operator: LedgerOperator) {
        let row = StoredRow(row, "operator")
        guard let role = OperatorRole(rawValue: try row.text(2)) else { throw row.error(2) }
        return (
            try row.bytes(0),
            LedgerOperator(
                name: try row.text(1), role: role, addedAt: try row.date(3), addedBy: try row.textIfAny(4),
                until: try row.date(5), revokedAt: try row.dateIfAny(6), revokedBy: try row.textIfAny(7))
        )
    }

    /// Adds an operator with its entry in the audit trail, unless the rules refuse it.
    func add(_ new: LedgerOperator, tokenHash: [UInt8]) throws -> OperatorRefusal? {
        let refusal = LedgerRules.refusal(
            adding: new, sameName: try operators(named: new.name),
            isTokenKnown: try storedOperator(tokenHash: tokenHash) != nil)
        if let refusal { return refusal }
        try change(Self.insertOperator) { $0.operator(new, tokenHash: tokenHash) }
        try append(LedgerChange(adding: new, tokenHash: tokenHash))
        return nil
    }

    /// Revokes all operators with a name, and their descendants, with one entry in the audit trail for each name.
    func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) throws -> [LedgerOperator] {
        let descendants =
            withDescendants ? LedgerRules.descendants(ofOperator: name, among: try operators(), at: now) : []
        var revoked: [LedgerOperator] = []
        for (index, other) in ([name] + descendants).enumerated() {
            guard let previous = LedgerRules.revocable(among: try operators(named: other)) else { continue }
            try run(Self.revokeOperators) {
                $0.integer(now.microseconds)
                $0.text(operatorName)
                $0.text(other)
            }
            try append(
                LedgerChange(revoking: previous, asDescendantOf: index > 0 ? name : nil, by: operatorName, at: now))
            revoked.append(previous)
        }
        return revoked
    }

    /// All operators, sorted by name and time.
    func operators() throws -> [LedgerOperator] {
        var operators: [LedgerOperator] = []
        try Self.each(db, Self.operatorColumns, by: "name, addedAt") {
            operators.append(try Self.storedOperator($0).operator)
        }
        return operators
    }

    private func operators(named name: String) throws -> [LedgerOperator] {
        var operators: [LedgerOperator] = []
        try StoredStatement(db, "SELECT \(Self.operatorColumns) WHERE name = ?").each {
            $0.text(name)
        } reading: {
            operators.append(try Self.storedOperator($0).operator)
        }
        return operators
    }
}

extension RowFinder {
    /// The operator with the hash of a token, in any state.
    func storedOperator(tokenHash: [UInt8]) throws -> LedgerOperator? {
        try first(LedgerTables.findOperator, { $0.blob(tokenHash) }) { try LedgerTables.storedOperator($0).operator }
    }
}

extension StoredBinding {
    /// The columns of an operator.
    mutating func `operator`(_ stored: LedgerOperator, tokenHash: [UInt8]) {
        blob(tokenHash)
        text(stored.name)
        text(stored.role.rawValue)
        integer(stored.addedAt.microseconds)
        text(stored.addedBy)
        integer(stored.until.microseconds)
        integer(stored.revokedAt?.microseconds)
        text(stored.revokedBy)
    }
}
