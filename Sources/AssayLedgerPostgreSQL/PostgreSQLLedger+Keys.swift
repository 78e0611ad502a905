public import AssayCore
public import FoundationEssentials

extension PostgreSQLLedger: SealedKeyStorage {
    /// The URL of the ledger.
    public var keyLocation: String { place }

    /// The sealed keys in this database, by name.
    public func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey] {
        do throws(LedgerOutage) {
            let query = AdministrationStatements(schema: statements.schema).sealedKeys
            return try await find(all: LedgerTables.sealedKeysWithOrigins, query)
        } catch {
            throw KeyStoreOutage(error)
        }
    }

    /// Makes one change of the sealed keys, in a transaction of its own that is durable when this returns.
    public func changeSealedKeys(
        by operatorName: String?, at now: Date, _ decide: @escaping SealedKeyDecision
    ) async throws(KeyStoreFailure) {
        let (statements, place) = (statements, place)
        let result: Result<KeyStoreFailure?, LedgerOutage>
        do throws(LedgerOutage) {
            result = .success(
                try await office.run { holder in
                    do {
                        try ManualChange.run(holder, statements, place: place) { change in
                            let rows = try change.run(change.tables.sealedKeys)
                            let keys = try rows.all(LedgerTables.sealedKeysWithOrigins)
                            let decided = try decide(keys) {
                                change.hash(ofNext: LedgerChange($0, by: operatorName, at: now))
                            }
                            for step in change.tables.apply(decided) { _ = try change.run(step) }
                            try change.append(LedgerChange(decided, by: operatorName, at: now))
                        }
                        return nil
                    } catch let failure as KeyStoreFailure {
                        return failure
                    }
                })
        } catch {
            result = .failure(error)
        }
        switch result {
        case .success(nil): return
        case .success(let failure?): throw failure
        case .failure(let outage): throw .outage(KeyStoreOutage(outage))
        }
    }
}
