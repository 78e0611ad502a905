import AssayCore
import FoundationEssentials

/// The statements of changes by operators. They are rare, and parsed each time.
struct AdministrationStatements {
    /// The schema, quoted.
    let schema: String

    // MARK: Standings

    /// Stores a standing in place of an earlier one.
    func put(_ standing: LedgerStanding) -> Step {
        let insertion = insert(standing)
        return Step(
            Statement(
                """
                \(insertion.statement.text)
                ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, since = excluded.since, until = excluded.until,
                allows = excluded.allows, checks = excluded.checks, operator = excluded.operator
                """), insertion.parameters)
    }

    func insert(_ standing: LedgerStanding) -> Step {
        let key = RowKey(standing.subject)
        return Step(
            insertion(LedgerTables.standings, 8), key.bytes, key.whole, standing.reason, standing.since, standing.until,
            standing.allowance == nil ? 0 : 1 as Int32,
            standing.allowance.map { $0.checks.map(\.name).joined(separator: " ") }, standing.setBy)
    }

    private func insertion<Value>(_ table: LedgerTable<Value>, _ count: Int) -> String {
        let values = (1...count).map { "$\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(schema).\(table.name) (\(table.columns)) VALUES (\(values))"
    }

    // MARK: Operators

    func insert(_ new: LedgerOperator, tokenHash: [UInt8]) -> Step {
        Step(
            insertion(LedgerTables.operators, 8), tokenHash, new.name, new.role.rawValue, new.addedAt, new.addedBy,
            new.until,
            new.revokedAt, new.revokedBy)
    }

    // MARK: Sealed keys

    /// All keys, each with the hash of the last entry of the audit trail about a key of its name.
    var sealedKeys: Step {
        Step(
            """
            SELECT \(LedgerStatements.sealedKeyColumns),
            (SELECT hash FROM \(schema).audit WHERE sha256(subject) = sha256('key '::bytea || name)
            AND subject = 'key '::bytea || name AND action IN (\(LedgerChange.sealedKeyActions))
            ORDER BY number DESC LIMIT 1)
            FROM \(schema).sealed_key ORDER BY name
            """)
    }

    func apply(_ change: SealedKeyChange) -> [Step] {
        switch change {
        case .insert(let key): [insert(key)]
        case .replace(let key), .reseal(let key): [remove(key.name), insert(key)]
        case .remove(let name): [remove(name)]
        }
    }

    func insert(_ key: SealedKey) -> Step {
        let times = key.times
        return Step(
            insertion(LedgerTables.sealedKeys, 10), key.name, key.purpose.name, key.scope, key.algorithm,
            times.notBefore,
            times.notAfter, times.retiredAt, times.addedAt, key.masterKeyID, key.sealed)
    }

    private func remove(_ name: String) -> Step {
        Step("DELETE FROM \(schema).sealed_key WHERE name = $1", name)
    }

    // MARK: Audit trail

    static func append(_ entry: LedgerAuditEntry, _ statement: Statement) -> Step {
        let change = entry.change
        return Step(
            statement, Int64(entry.number), change.at, change.operatorName, change.action.rawValue, change.subject,
            change.detail, entry.previousHash, entry.hash)
    }
}
