import AssayCore
import Foundation
import GRDB

/// The statements on sealed keys, on one connection. Whoever calls holds the transaction.
extension LedgerTables {
    static let sealedKeyColumns =
        "name, purpose, scope, algorithm, notBefore, notAfter, retiredAt, addedAt, masterKey, sealed FROM sealedKey"

    private static let findSealedKey = LedgerSQL("SELECT \(sealedKeyColumns) WHERE name = ?")
    private static let addSealedKey = LedgerSQL(
        """
        INSERT INTO sealedKey
        (name, purpose, scope, algorithm, notBefore, notAfter, retiredAt, addedAt, masterKey, sealed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING
        """)
    private static let retireSealedKey = LedgerSQL("UPDATE sealedKey SET retiredAt = ?, sealed = ? WHERE name = ?")
    private static let removeSealedKey = LedgerSQL("DELETE FROM sealedKey WHERE name = ?")

    static func sealedKey(_ row: StoredCells) throws -> SealedKeyRow {
        let row = StoredRow(row, "sealedKey")
        let columns = SealedKeyColumns(
            name: try row.text(0), purpose: try row.text(1), scope: try row.textIfAny(2), algorithm: try row.text(3),
            notBefore: try row.integerIfAny(4), notAfter: try row.integerIfAny(5), retiredAt: try row.integerIfAny(6),
            addedAt: try row.integer(7))
        return SealedKeyRow(columns: columns, masterKey: try row.bytes(8), sealed: try row.bytes(9))
    }

    /// All keys, by name.
    func sealedKeys() throws -> [SealedKeyRow] {
        var keys: [SealedKeyRow] = []
        try Self.each(db, Self.sealedKeyColumns, by: "name") { keys.append(try Self.sealedKey($0)) }
        return keys
    }

    func sealedKey(_ name: String) throws -> SealedKeyRow? {
        try first(Self.findSealedKey) {
            $0.text(name)
        } reading: {
            try Self.sealedKey($0)
        }
    }

    /// Stores a key. Returns whether there was none of its name.
    func insert(_ key: SealedKeyRow) throws -> Bool {
        let columns = key.columns
        return try run(Self.addSealedKey) {
            $0.text(columns.name)
            $0.text(columns.purpose)
            $0.text(columns.scope)
            $0.text(columns.algorithm)
            $0.integer(columns.notBefore)
            $0.integer(columns.notAfter)
            $0.integer(columns.retiredAt)
            $0.integer(columns.addedAt)
            $0.blob(key.masterKey)
            $0.blob(key.sealed)
        } == 1
    }

    /// Stores when a key was retired, and the key sealed anew together with that.
    func retire(_ key: SealedKeyRow) throws {
        try change(Self.retireSealedKey) {
            $0.integer(key.columns.retiredAt)
            $0.blob(key.sealed)
            $0.text(key.columns.name)
        }
    }

    /// Removes a key. Returns whether there was one.
    func removeSealedKey(_ name: String) throws -> Bool {
        try run(Self.removeSealedKey) { $0.text(name) } == 1
    }
}
