public import AssayCore
public import FoundationEssentials
import GRDB

extension SQLiteLedger: SealedKeyStorage {
    /// The path of the file.
    public var keyLocation: String { path }

    /// The sealed keys in this file, by name.
    public func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey] {
        do {
            return try await read { db in try LedgerTables(db).sealedKeys() }
        } catch {
            throw KeyStoreOutage(error)
        }
    }

    /// Makes one change of the sealed keys, in a transaction of its own that is durable when this returns.
    public func changeSealedKeys(
        by operatorName: String?, at now: Date, _ decide: @escaping SealedKeyDecision
    ) async throws(KeyStoreFailure) {
        let (path, watch) = (path, watch)
        let result: Result<Void, KeyStoreFailure> = await withCheckedContinuation { continuation in
            writer.lend { db in
                do {
                    try db.inTransaction(.immediate) {
                        var tables = LedgerTables(db)
                        try watch.check(at: LedgerWatch.now, tables, isLatest: true)
                        let end = try tables.trailEnd()
                        let change = try decide(tables.sealedKeys()) { change in
                            let entry = LedgerChange(change, by: operatorName, at: now)
                            return LedgerAuditEntry(appending: entry, to: end.number, end.hash).hash
                        }
                        try tables.apply(change)
                        try tables.append(LedgerChange(change, by: operatorName, at: now))
                        return .commit
                    }
                    continuation.resume(returning: .success(()))
                } catch let failure as KeyStoreFailure {
                    continuation.resume(returning: .failure(failure))
                } catch {
                    continuation.resume(
                        returning: .failure(.outage(KeyStoreOutage(LedgerOutage(error, path: path)))))
                }
            }
        }
        try result.get()
    }
}

/// The statements on sealed keys, on one connection. The caller holds the transaction.
extension LedgerTables {
    /// The hash of the last entry of the audit trail about a key of this name. It has an index: a service reads it every second.
    private static let sealedKeyOrigin = """
        (SELECT hash FROM audit WHERE subject = 'key ' || name AND action IN (\(LedgerChange.sealedKeyActions))
        ORDER BY number DESC LIMIT 1)
        """

    private static let insertSealedKey = LedgerSQL("INSERT \(sealedKeyValues)")
    private static let insertMissingSealedKey = LedgerSQL("INSERT OR IGNORE \(sealedKeyValues)")
    private static let replaceSealedKey = LedgerSQL("REPLACE \(sealedKeyValues)")
    private static let sealedKeyValues = """
        INTO sealedKey (\(sealedKeys.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let removeSealedKey = LedgerSQL("DELETE FROM sealedKey WHERE name = ?")

    static let sealedKeys = LedgerTable(
        "sealedKey", "name, purpose, scope, algorithm, notBefore, notAfter, retiredAt, addedAt, masterKey, sealed",
        by: "name"
    ) { try sealedKey($0, hasOrigin: false) }

    /// Reads a key, and its origin if that was queried as the last column.
    private static func sealedKey(_ row: StoredRow, hasOrigin: Bool) throws -> SealedKey {
        SealedKey(
            name: try row.text(0), purpose: KeyPurpose(try row.text(1)), scope: try row.textIfAny(2),
            algorithm: try row.text(3),
            times: SealedKey.Times(
                notBefore: try row.integerIfAny(4), notAfter: try row.integerIfAny(5),
                retiredAt: try row.integerIfAny(6), addedAt: try row.integer(7)),
            masterKeyID: try row.bytes(8), sealed: try row.bytes(9),
            origin: hasOrigin ? try row.bytesIfAny(10) ?? [] : [])
    }

    /// All keys with their origins, by name.
    func sealedKeys() throws -> [SealedKey] {
        let table = LedgerTable(
            "sealedKey", "\(Self.sealedKeys.columns), \(Self.sealedKeyOrigin)", by: "name"
        ) { try Self.sealedKey($0, hasOrigin: true) }
        return try all(table)
    }

    /// Applies a change that was decided for the current keys.
    func apply(_ change: SealedKeyChange) throws {
        switch change {
        case .insert(let key): try write(key, Self.insertSealedKey)
        case .replace(let key), .reseal(let key): try write(key, Self.replaceSealedKey)
        case .remove(let name): try self.change(Self.removeSealedKey, name)
        }
    }

    /// Stores a key of another ledger, unless a key with its name exists.
    func insertIfMissing(_ key: SealedKey) throws { try run(Self.insertMissingSealedKey) { $0.sealedKey(key) } }

    private func write(_ key: SealedKey, _ sql: LedgerSQL) throws { try change(sql) { $0.sealedKey(key) } }
}

extension StoredBinding {
    /// The columns of a sealed key.
    fileprivate mutating func sealedKey(_ key: SealedKey) {
        let times = key.times
        values(
            key.name, key.purpose.name, key.scope, key.algorithm, times.notBefore, times.notAfter, times.retiredAt,
            times.addedAt, key.masterKeyID, key.sealed)
    }
}
