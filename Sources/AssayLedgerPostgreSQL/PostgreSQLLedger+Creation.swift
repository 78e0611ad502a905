import AssayCore

extension PostgreSQLLedger {
    /// Creates the tables of a ledger in the schema of a URL, as a role that may. Several processes may create one at once.
    ///
    /// - Parameter role: a role that a server uses: it is granted what it needs, and nothing else; nil for none.
    /// - Returns: whether the tables are new.
    /// - Throws: ``PostgreSQLURLError``, or ``LedgerOutage``, also for a schema that holds other tables.
    @discardableResult
    public static func create(_ url: String, grantingTo role: String? = nil) async throws -> Bool {
        let target = try target(url)
        let schema = LedgerSchema(name: target.schema)
        return try await own(target) { holder in
            let connection = try holder.current()
            let found = try LedgerVersion.find(connection, target, by: holder.deadline)
            if found != nil { try LedgerVersion.require(connection, target, by: holder.deadline) }
            let statements = (found == nil ? schema.creation : []) + (role.map(schema.grants) ?? [])
            do {
                try execute(statements, holder, target)
            } catch let failure as DatabaseFailure
                where found == nil && ["23505", "42P07", "42P06"].contains(failure.state)
            {
                // Another process was faster.
                try LedgerVersion.require(try holder.current(), target, by: holder.deadline)
                try execute(role.map(schema.grants) ?? [], holder, target)
                return false
            }
            return found == nil
        }
    }

    /// Runs `body` on a connection of its own.
    static func own<Value: Sendable>(
        _ target: ConnectionTarget, _ body: @escaping @Sendable (ConnectionHolder) throws -> Value
    ) async throws -> Value {
        let threads = LedgerThreads()
        let office = AdministrationThread(target, demand: .primary, threads: threads)
        let result: Result<Value, LedgerOutage>
        do throws(LedgerOutage) { result = .success(try await office.run(body)) } catch { result = .failure(error) }
        office.close()
        await threads.join()
        return try result.get()
    }

    private static func execute(
        _ statements: [String], _ holder: ConnectionHolder, _ target: ConnectionTarget
    ) throws {
        guard !statements.isEmpty else { return }
        _ = try holder.transact(statements.map { Step(Statement($0)) })
    }
}
