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
            """
            INSERT INTO \(schema).standing (\(LedgerStatements.standingColumns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """
        ) {
            $0.add(key.bytes)
            $0.add(key.whole)
            $0.add(text: standing.reason)
            $0.add(standing.since.microseconds)
            $0.add(standing.until?.microseconds)
            $0.add(standing.allowance == nil ? 0 : 1 as Int32)
            $0.add(text: standing.allowance.map { $0.checks.map(\.name).joined(separator: " ") })
            $0.add(text: standing.setBy)
        }
    }

    func standing(of subject: LedgerSubject) -> Step {
        Step("SELECT \(LedgerStatements.standingColumns) FROM \(schema).standing WHERE id = $1") {
            $0.add(RowKey(subject).bytes)
        }
    }

    /// - Parameter kind: what to remove; nil for either.
    func removeStanding(of subject: LedgerSubject, only kind: LedgerStanding.Kind?) -> Step {
        let allows = kind.map { " AND allows = \($0 == .allowance ? 1 : 0)" } ?? ""
        return Step(
            "DELETE FROM \(schema).standing WHERE id = $1\(allows) RETURNING \(LedgerStatements.standingColumns)"
        ) {
            $0.add(RowKey(subject).bytes)
        }
    }

    // MARK: Keys

    func lockKey(_ key: KeyIdentifier) -> Step {
        Step("SELECT \(LedgerStatements.keyColumns) FROM \(schema).enrolled_key WHERE id = $1 FOR UPDATE") {
            $0.add(RowKey(key).bytes)
        }
    }

    func move(_ key: KeyIdentifier, to account: String?) -> Step {
        Step("UPDATE \(schema).enrolled_key SET account = $2 WHERE id = $1") {
            $0.add(RowKey(key).bytes)
            $0.add(text: account)
        }
    }

    // MARK: Operators

    func operators(named name: String) -> Step {
        Step(
            """
            SELECT \(LedgerStatements.operatorColumns) FROM \(schema).operator
            WHERE sha256(name) = sha256($1) AND name = $1
            """
        ) { $0.add(text: name) }
    }

    var operators: Step { Step("SELECT \(LedgerStatements.operatorColumns) FROM \(schema).operator") { _ in } }

    func findOperator(_ tokenHash: [UInt8]) -> Step {
        Step("SELECT name FROM \(schema).operator WHERE token_hash = $1") { $0.add(tokenHash) }
    }

    func insert(_ new: LedgerOperator, tokenHash: [UInt8]) -> Step {
        Step(
            """
            INSERT INTO \(schema).operator (\(LedgerStatements.operatorColumns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """
        ) {
            $0.add(tokenHash)
            $0.add(text: new.name)
            $0.add(text: new.role.rawValue)
            $0.add(new.addedAt.microseconds)
            $0.add(text: new.addedBy)
            $0.add(new.until.microseconds)
            $0.add(new.revokedAt?.microseconds)
            $0.add(text: new.revokedBy)
        }
    }

    func revokeOperators(named name: String, by operatorName: String?, at now: Date) -> Step {
        Step(
            """
            UPDATE \(schema).operator SET revoked_at = $2, revoked_by = $3
            WHERE sha256(name) = sha256($1) AND name = $1 AND revoked_at IS NULL
            """
        ) {
            $0.add(text: name)
            $0.add(now.microseconds)
            $0.add(text: operatorName)
        }
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
            """
        ) { _ in }
    }

    func apply(_ change: SealedKeyChange) -> [Step] {
        switch change {
        case .insert(let key): [insert(key)]
        case .replace(let key): [remove(key.name), insert(key)]
        case .remove(let name): [remove(name)]
        }
    }

    func insert(_ key: SealedKey) -> Step {
        Step(
            """
            INSERT INTO \(schema).sealed_key (\(LedgerStatements.sealedKeyColumns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """
        ) {
            $0.add(text: key.name)
            $0.add(text: key.purpose.name)
            $0.add(text: key.scope)
            $0.add(text: key.algorithm)
            $0.add(key.times.notBefore)
            $0.add(key.times.notAfter)
            $0.add(key.times.retiredAt)
            $0.add(key.times.addedAt)
            $0.add(key.masterKeyID)
            $0.add(key.sealed)
        }
    }

    private func remove(_ name: String) -> Step {
        Step("DELETE FROM \(schema).sealed_key WHERE name = $1") { $0.add(text: name) }
    }

    // MARK: Audit trail

    static func append(_ entry: LedgerAuditEntry, _ statement: Statement) -> Step {
        var parameters = Parameters()
        parameters.add(Int64(entry.number))
        parameters.add(entry.change.at.microseconds)
        parameters.add(text: entry.change.operatorName)
        parameters.add(text: entry.change.action.rawValue)
        parameters.add(text: entry.change.subject)
        parameters.add(text: entry.change.detail)
        parameters.add(entry.previousHash)
        parameters.add(entry.hash)
        return Step(statement, parameters)
    }
}
