public import AssayCore
import GRDB

extension SQLiteLedger {
    /// What the key store in this file says of its keys, by name. It takes no master key, and proves nothing.
    public func sealedKeys() async throws(KeyStoreOutage) -> [SealedKeyEntry] {
        try await sealedKeyRows().map(\.columns.entry)
    }

    /// Removes a key, for which no master key is needed. A ``SealedKeyStore`` on this ledger sees it within a second.
    ///
    /// - Returns: whether there was such a key.
    public func removeSealedKey(_ name: String) async throws(KeyStoreOutage) -> Bool {
        do {
            return try await changeKeys { tables in try tables.removeSealedKey(name) }
        } catch {
            switch error {
            case .outage(let outage): throw outage
            case .refusal(let refusal): throw KeyStoreOutage(.unreachable, refusal.description)
            }
        }
    }

    func sealedKeyRows() async throws(KeyStoreOutage) -> [SealedKeyRow] {
        do {
            return try await read { db in try LedgerTables(db).sealedKeys() }
        } catch {
            throw KeyStoreOutage(error)
        }
    }

    /// Changes keys in a transaction of its own that is durable when this returns.
    func changeKeys<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTables) throws -> Value
    ) async throws(KeyStoreFailure) -> Value {
        let path = path
        let result: Result<Value, KeyStoreFailure> = await withCheckedContinuation { continuation in
            writer.lend { db in
                do {
                    var value: Value?
                    try db.inTransaction(.immediate) {
                        value = try body(LedgerTables(db))
                        return .commit
                    }
                    guard let value else { throw LedgerOutage(.internalError, "\(path) gave no answer") }
                    continuation.resume(returning: .success(value))
                } catch let refusal as KeyStoreRefusal {
                    continuation.resume(returning: .failure(.refusal(refusal)))
                } catch let outage as KeyStoreOutage {
                    continuation.resume(returning: .failure(.outage(outage)))
                } catch {
                    continuation.resume(
                        returning: .failure(.outage(KeyStoreOutage(LedgerOutage(error, path: path)))))
                }
            }
        }
        return try result.get()
    }
}

extension KeyStoreOutage {
    /// An outage of the file that the keys are in.
    init(_ outage: LedgerOutage) {
        self.init(Code(outage.code.name), outage.message)
    }
}
