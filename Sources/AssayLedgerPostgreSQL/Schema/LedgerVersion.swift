import AssayCore

/// The version of the tables of a ledger.
enum LedgerVersion {
    /// Throws if there is no ledger that this version of the code may use, or a marked one, unless `isMoving`.
    static func require(
        _ connection: DatabaseConnection, _ target: ConnectionTarget, by deadline: ContinuousClock.Instant,
        isMoving: Bool = false
    ) throws {
        guard let found = try find(connection, target, by: deadline) else {
            throw LedgerOutage(
                .unreachable,
                "there is no ledger in schema \(target.schema) of \(target.place); create one with `assay ledger create`"
            )
        }
        if !isMoving, let mark = found.mark { throw mark.outage(of: target.place) }
        guard found.compatible <= LedgerSchema.version else {
            throw LedgerOutage(
                .newerSchema,
                "\(target.place) is of version \(found.version), which programs from version \(found.compatible) on may use, "
                    + "and this program knows version \(LedgerSchema.version); update it")
        }
        guard found.version >= LedgerSchema.version else {
            throw LedgerOutage(
                .corrupt,
                "\(target.place) is of version \(found.version), and this program needs version \(LedgerSchema.version)"
            )
        }
    }

    /// The version; nil if the schema or the database holds no tables of a ledger. Throws for those of an unreleased build.
    static func find(
        _ connection: DatabaseConnection, _ target: ConnectionTarget, by deadline: ContinuousClock.Instant
    ) throws -> (version: Int64, compatible: Int64, mark: LedgerMark?)? {
        var parameters = Parameters()
        parameters.add(text: target.schema)
        let exists = try connection.run([Step(existing, parameters)], by: deadline)[0]
        let (tables, own) = (exists.integer(0, 0) ?? 0, exists.integer(0, 1) ?? 0)
        guard own > 0 else {
            if tables == 0 { return nil }
            throw LedgerOutage(
                .corrupt,
                "schema \(target.schema) of \(target.place) holds tables, but no ledger; name another one with schema=NAME"
            )
        }
        let query = Statement(
            """
            SELECT version, compatible, moved_to, (to_json(stored)->>'application')::int8
            FROM "\(target.schema)".ledger AS stored WHERE one = 1
            """)
        let rows = try connection.run([Step(query)], by: deadline)[0]
        guard let version = rows.integer(0, 0), let compatible = rows.integer(0, 1) else {
            throw StoredValueError(table: "ledger", column: "no version")
        }
        guard rows.integer(0, 3) == LedgerSchema.application else {
            throw LedgerOutage(
                .corrupt,
                "\(target.place) is a ledger of an unreleased build, version \(version), which no release reads; make a new "
                    + "ledger in another schema, or export this one with the program that wrote it")
        }
        return (version, compatible, rows.bytes(0, 2).map { LedgerMark($0) })
    }

    /// How many tables the schema has, and how many of them mark a ledger. `pg_tables` shows them to any role.
    private static let existing = Statement(
        """
        SELECT count(*), count(*) FILTER (WHERE tablename = 'ledger') FROM pg_catalog.pg_tables
        WHERE schemaname = convert_from($1, 'UTF8')
        """)
}
