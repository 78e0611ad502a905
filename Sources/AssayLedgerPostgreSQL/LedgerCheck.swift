public import AssayCore
import AssayPrimitives
import FoundationEssentials

extension PostgreSQLLedger {
    /// How many problems of a sort are reported. Damage often comes in thousands.
    private static let problemLimit = 100

    /// Looks for damage in the rows of all tables.
    public func check(
        _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws(LedgerOutage) -> [String] {
        do {
            return try await LedgerSnapshot.reading(target) { snapshot in try await problems(snapshot, keyProblem) }
        } catch {
            throw LedgerOutage(error, at: place)
        }
    }

    /// Looks for settings of the server, definitions of the tables and privileges that are not as they should be.
    public func settingProblems() async throws(LedgerOutage) -> [String] {
        let schema = target.schema
        return try await office.run { holder in try ServerCheck(schema: schema).problems(holder) }
    }

    private func problems(
        _ snapshot: LedgerSnapshot, _ keyProblem: @escaping @Sendable (EnrolledKey) -> String?
    ) async throws -> [String] {
        // The trail comes first: the rows are compared with it.
        var (chain, replay) = (LedgerAuditChain(), TrailReplay())
        var problems = try await rows(snapshot, LedgerTables.audit) {
            replay.take($0)
            return chain.problem(with: $0)
        }
        problems += try await rows(snapshot, LedgerTables.challenges) {
            LedgerRules.problem(with: $0.challenge, consumedAt: $0.consumedAt)
        }
        problems += try await rows(snapshot, LedgerTables.keys) {
            replay.take($0)
            return LedgerRules.problem(with: $0, keyProblem)
        }
        problems += try await copiedKeys()
        problems += try await rows(snapshot, LedgerTables.digests) { LedgerRules.problem(with: $0) }
        problems += try await rows(snapshot, LedgerTables.standings) {
            replay.take($0)
            return LedgerRules.problem(with: $0)
        }
        problems += try await rows(snapshot, LedgerTables.operators) {
            replay.take($0.operator, tokenHash: $0.tokenHash)
            return LedgerRules.problem(with: $0.operator, tokenHash: $0.tokenHash)
        }
        problems += try await rows(snapshot, LedgerTables.sealedKeys) {
            replay.take($0)
            return $0.problem
        }
        problems += try await rows(snapshot, LedgerTables.documents) {
            LedgerRules.problem(with: $0.document, named: $0.name)
        }
        problems += try await rows(snapshot, LedgerTables.tasks) { LedgerRules.problem(with: $0) }
        replay.take(quarantineEnd: try await snapshot.quarantineEnd())
        problems += replay.problems
        problems += endProblem(chain, try await snapshot.auditEnd())
        return problems
    }

    private func rows<Value>(
        _ snapshot: LedgerSnapshot, _ table: LedgerTable<Value>, _ problem: (Value) -> String?
    ) async throws -> [String] {
        var problems: [String] = []
        try await snapshot.eachResult(table) { result in
            guard problems.count < Self.problemLimit else { return }
            switch result {
            case .success(let value): if let found = problem(value) { problems.append(found) }
            case .failure(let outage): problems.append("a row of \(table.name) cannot be read: \(outage.message)")
            }
        }
        return problems
    }

    /// Two IDs for one public key, which no evidence can lead to.
    private func copiedKeys() async throws -> [String] {
        // The first byte of a key is the length of the engine's name, which follows.
        let query = Statement(
            """
            SELECT substr(id, 2, get_byte(id, 0)), count(*), (array_agg(id))[1] FROM \(statements.schema).enrolled_key
            WHERE whole IS NULL GROUP BY substr(id, 2, get_byte(id, 0)), public_key HAVING count(*) > 1
            LIMIT \(Self.problemLimit)
            """)
        return try await office.run { holder in
            let rows = try holder.run([Step(query)])[0]
            return (0..<rows.count).map { row in
                let engine = rows.bytes(row, 0) ?? []
                let identifier = (rows.bytes(row, 2) ?? []).dropFirst(1 + engine.count)
                return
                    "\(rows.integer(row, 1) ?? 0) keys of \(String(decoding: engine, as: UTF8.self)) share one public key, "
                    + "among them \(Array(identifier).hexadecimal)"
            }
        }
    }

    /// The end of the audit trail has a row of its own: entries that were cut off at the end are noticed.
    private func endProblem(_ chain: LedgerAuditChain, _ end: (number: Int64, hash: [UInt8])?) -> [String] {
        guard let end else { return ["the end of the audit trail is missing"] }
        if end.number != Int64(chain.count) {
            return ["the audit trail ends at entry \(chain.count), and entry \(end.number) was the last one"]
        }
        return end.hash == chain.hash ? [] : ["the last entry of the audit trail is not the one that was written"]
    }
}
