public import AssayCore
import AssayPrimitives
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
                        let tables = LedgerTables(db)
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
