public import AssayCore
import Foundation
public import FoundationEssentials
import GRDB

extension SQLiteLedger {
    /// Adds an operator.
    public func addOperator(
        _ new: LedgerOperator, tokenHash: [UInt8]
    ) async throws(LedgerOutage) -> OperatorRefusal? {
        try await change(at: new.addedAt, isChange: { $0 == nil }) { tables in
            try tables.add(new, tokenHash: tokenHash)
        }
    }

    /// Revokes the operators with a name, and their descendants. Returns the operators in their former state.
    @discardableResult
    public func revokeOperator(
        named name: String, withDescendants: Bool, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> [LedgerOperator] {
        try await change(at: now, isChange: { !$0.isEmpty }) { tables in
            try tables.revokeOperator(named: name, withDescendants: withDescendants, by: operatorName, at: now)
        }
    }

    /// Appends an entry to the audit trail, and changes nothing else.
    public func record(_ change: LedgerChange) async throws(LedgerOutage) {
        try await self.change(at: change.at) { tables in try tables.append(change) }
    }

    /// All operators, sorted by name and time.
    public func operators() async throws(LedgerOutage) -> [LedgerOperator] {
        try await read { db in try LedgerTables(db).operators(named: nil) }
    }

    /// The live operator with the hash of a token, at a time; nil for none.
    public func liveOperator(tokenHash: [UInt8], at now: Date) async throws(LedgerOutage) -> LedgerOperator? {
        let stored = try await storedOperator(tokenHash: tokenHash)
        return stored.flatMap { $0.state(at: now) == .live ? $0 : nil }
    }
}

/// The statements on the operators of a service, on one connection. The caller holds the transaction.
extension LedgerTables {
    fileprivate static let findOperator = operators.sql("WHERE tokenHash = ?")
    static let operatorValues = """
        INTO operator (tokenHash, name, role, addedAt, addedBy, until, revokedAt, revokedBy)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let insertOperator = LedgerSQL("INSERT \(operatorValues)")
    private static let revokeOperators = LedgerSQL(
        "UPDATE operator SET revokedAt = ?, revokedBy = ? WHERE name = ? AND revokedAt IS NULL")

    static let operators = LedgerTable(
        "operator", "tokenHash, name, role, addedAt, addedBy, until, revokedAt, revokedBy", by: "name, addedAt"
    ) { row -> (tokenHash: [UInt8], operator: LedgerOperator) in
        guard let role = OperatorRole(rawValue: try row.text(2)) else { throw row.error(2) }
        return (
            try row.bytes(0),
            LedgerOperator(
                name: try row.text(1), role: role, addedAt: try row.date(3), addedBy: try row.textIfAny(4),
                until: try row.date(5), revokedAt: try row.dateIfAny(6), revokedBy: try row.textIfAny(7))
        )
    }

    func operators(named name: String?) throws -> [LedgerOperator] {
        guard let name else { return try all(Self.operators).map(\.operator) }
        return try all(Self.operators, "WHERE name = ?", name).map(\.operator)
    }

    func hasOperator(tokenHash: [UInt8]) throws -> Bool { try storedOperator(tokenHash: tokenHash) != nil }

    func insert(_ new: LedgerOperator, tokenHash: [UInt8]) throws {
        try change(Self.insertOperator) { $0.operator(new, tokenHash: tokenHash) }
    }

    func revokeOperators(named name: String, by operatorName: String?, at now: Date) throws {
        try run(Self.revokeOperators, now, operatorName, name)
    }
}

extension RowFinder {
    /// The operator with the hash of a token, in any state.
    func storedOperator(tokenHash: [UInt8]) throws -> LedgerOperator? {
        try first(LedgerTables.findOperator, { $0.blob(tokenHash) }) {
            try LedgerTables.operators.read(StoredRow($0, "operator")).operator
        }
    }
}

extension StoredBinding {
    /// The columns of an operator.
    mutating func `operator`(_ stored: LedgerOperator, tokenHash: [UInt8]) {
        values(
            tokenHash, stored.name, stored.role.rawValue, stored.addedAt, stored.addedBy, stored.until,
            stored.revokedAt,
            stored.revokedBy)
    }
}
