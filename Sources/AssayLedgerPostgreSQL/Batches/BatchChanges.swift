import AssayCore
import AssayPrimitives
import FoundationEssentials

/// The statements that store what a batch has changed. Tables come in one order, and rows in the order of their keys.
extension BatchRows {
    func changes(_ statements: LedgerStatements) throws -> [Step] {
        var steps: [Step] = []
        let newChallenges = challenges.filter(\.value.isNew)
        if !newChallenges.isEmpty { steps.append(Self.insert(newChallenges, statements)) }
        let newKeys = keys.filter(\.value.isNew)
        if !newKeys.isEmpty { steps.append(try Self.insert(newKeys.mapValues(\.key), statements)) }
        let uses = digests.compactMapValues(\.use)
        if !uses.isEmpty { steps.append(Self.insert(uses, statements)) }
        let consumed = challenges.filter { $0.value.isConsumed && !$0.value.isNew }
        if !consumed.isEmpty {
            var parameters = Parameters()
            parameters.add(consumed.map(\.key.bytes))
            parameters.add(consumed.map { $0.value.consumedAt?.microseconds })
            parameters.add(Int64(consumed.count))
            steps.append(Step(statements.consumeChallenges, parameters))
        }
        let advanced = keys.filter { $0.value.isAdvanced && !$0.value.isNew }
        if !advanced.isEmpty {
            var parameters = Parameters()
            parameters.add(advanced.map(\.key.bytes))
            parameters.add(advanced.map { Int64($0.value.key.counter) })
            parameters.add(advanced.map(\.value.key.counters.skipped))
            parameters.add(Int64(advanced.count))
            steps.append(Step(statements.advanceKeys, parameters))
        }
        let changed = keys.filter { $0.value.isChanged && !$0.value.isNew }
        if !changed.isEmpty { steps.append(try Self.change(changed, statements)) }
        return steps
    }

    private static func change(_ changed: [RowKey: Key], _ statements: LedgerStatements) throws -> Step {
        var parameters = Parameters()
        parameters.add(changed.map(\.key.bytes))
        parameters.add(texts: try changed.map { try LedgerProperties.encode($0.value.key.properties) })
        parameters.add(texts: changed.map(\.value.key.account))
        parameters.add(changed.map { $0.value.key.retiredAt?.microseconds })
        parameters.add(Int64(changed.count))
        return Step(statements.changeKeys, parameters)
    }

    private static func insert(_ rows: [RowKey: Challenge], _ statements: LedgerStatements) -> Step {
        insert(rows.map { ($0.key, $0.value.challenge, $0.value.consumedAt) }, statements)
    }

    /// Inserts challenges.
    static func insert(
        _ rows: [(key: RowKey, challenge: IssuedChallenge, consumedAt: Date?)], _ statements: LedgerStatements
    ) -> Step {
        var parameters = Parameters()
        parameters.add(rows.map(\.key.bytes))
        parameters.add(rows.map(\.key.whole))
        parameters.add(texts: rows.map(\.challenge.app))
        parameters.add(texts: rows.map(\.challenge.purpose.name))
        parameters.add(rows.map { $0.challenge.issuedAt.microseconds })
        parameters.add(rows.map { $0.challenge.expiresAt.microseconds })
        parameters.add(rows.map { $0.consumedAt?.microseconds })
        return Step(statements.insertChallenges, parameters)
    }

    /// Inserts enrolled keys.
    static func insert(_ rows: [RowKey: EnrolledKey], _ statements: LedgerStatements) throws -> Step {
        var parameters = Parameters()
        parameters.add(rows.map(\.key.bytes))
        parameters.add(rows.map(\.key.whole))
        parameters.add(texts: rows.map(\.value.app))
        parameters.add(rows.map(\.value.publicKey))
        parameters.add(rows.map { Int64($0.value.counter) })
        parameters.add(rows.map(\.value.counters.skipped))
        parameters.add(rows.map { $0.value.enrolledAt.microseconds })
        parameters.add(texts: try rows.map { try LedgerProperties.encode($0.value.properties) })
        parameters.add(texts: rows.map(\.value.account))
        parameters.add(rows.map { $0.value.retiredAt?.microseconds })
        return Step(statements.insertKeys, parameters)
    }

    /// Inserts used digests.
    static func insert(_ rows: [RowKey: UsedDigest], _ statements: LedgerStatements) -> Step {
        var parameters = Parameters()
        parameters.add(rows.map(\.key.bytes))
        parameters.add(rows.map(\.key.whole))
        parameters.add(texts: rows.map(\.value.app))
        parameters.add(texts: rows.map(\.value.kind.name))
        parameters.add(rows.map { $0.value.madeAt.microseconds })
        parameters.add(rows.map { $0.value.usedAt.microseconds })
        parameters.add(rows.map { $0.value.until.microseconds })
        return Step(statements.insertDigests, parameters)
    }
}
