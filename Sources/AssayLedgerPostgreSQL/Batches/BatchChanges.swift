import AssayCore
import AssayPrimitives
import FoundationEssentials

/// The statements that store what a batch has changed. Tables come in one order, and rows in the order of their keys.
extension BatchRows {
    func changes(_ statements: LedgerStatements) throws -> [Step] {
        var steps: [Step] = []
        let challenges = zip(needs.challenges.keys, challenges).compactMap { key, row in row.map { (key, $0) } }
        let newChallenges = challenges.filter(\.1.isNew)
        if !newChallenges.isEmpty {
            steps.append(Self.insert(newChallenges.map { ($0, $1.challenge, $1.consumedAt) }, statements))
        }
        let newKeys = zip(needs.keys.keys, keys).compactMap { key, row in
            row?.isNew == true ? row?.whole.map { (key, $0) } : nil
        }
        if !newKeys.isEmpty { steps.append(try Self.insert(newKeys, statements)) }
        let uses = zip(needs.digests.keys, digests).compactMap { key, row in row?.use.map { (key, $0) } }
        if !uses.isEmpty { steps.append(Self.insert(uses, statements)) }
        let consumed = challenges.filter { $1.isConsumed && !$1.isNew }
        if !consumed.isEmpty {
            var parameters = Parameters()
            parameters.add(consumed, bytes: \.0.bytes)
            parameters.add(consumed, integer: { $0.1.consumedAt?.microseconds })
            parameters.add(Int64(consumed.count))
            steps.append(Step(statements.consumeChallenges, parameters))
        }
        let advanced = keys.indices.filter { place in keys[place].map { $0.isAdvanced && !$0.isNew } ?? false }
        if !advanced.isEmpty {
            var parameters = Parameters()
            parameters.add(advanced, bytes: { needs.keys.keys[$0].bytes })
            parameters.add(advanced, integer: { keys[$0].map { Int64($0.counters.greatest) } })
            parameters.add(advanced, bytes: { keys[$0]?.counters.skipped })
            parameters.add(Int64(advanced.count))
            steps.append(Step(statements.advanceKeys, parameters))
        }
        let changed = keys.compactMap { $0?.changed } + otherKeys.values.compactMap { $0.changed }
        if !changed.isEmpty { steps.append(try Self.change(changed, statements)) }
        return steps
    }

    private static func change(_ changed: [EnrolledKey], _ statements: LedgerStatements) throws -> Step {
        var parameters = Parameters()
        parameters.add(changed, bytes: { RowKey($0.identifier).bytes })
        let properties = try changed.map { try LedgerProperties.encode($0.properties) }
        parameters.add(properties, text: \.self)
        parameters.add(changed, text: \.account)
        parameters.add(changed, integer: { $0.retiredAt?.microseconds })
        parameters.add(Int64(changed.count))
        return Step(statements.changeKeys, parameters)
    }

    static func insert(
        _ rows: [(key: RowKey, challenge: IssuedChallenge, consumedAt: Date?)], _ statements: LedgerStatements
    ) -> Step {
        var parameters = Parameters()
        parameters.add(rows, bytes: \.key.bytes)
        parameters.add(rows, bytes: \.key.whole)
        parameters.add(rows, text: \.challenge.app)
        parameters.add(rows, text: \.challenge.purpose.name)
        parameters.add(rows, integer: { $0.challenge.issuedAt.microseconds })
        parameters.add(rows, integer: { $0.challenge.expiresAt.microseconds })
        parameters.add(rows, integer: { $0.consumedAt?.microseconds })
        return Step(statements.insertChallenges, parameters)
    }

    static func insert(
        _ rows: some Collection<(key: RowKey, value: EnrolledKey)>, _ statements: LedgerStatements
    ) throws -> Step {
        var parameters = Parameters()
        parameters.add(rows, bytes: \.key.bytes)
        parameters.add(rows, bytes: \.key.whole)
        parameters.add(rows, text: \.value.app)
        parameters.add(rows, bytes: \.value.publicKey)
        parameters.add(rows, integer: { Int64($0.value.counter) })
        parameters.add(rows, bytes: \.value.counters.skipped)
        parameters.add(rows, integer: { $0.value.enrolledAt.microseconds })
        let properties = try rows.map { try LedgerProperties.encode($0.value.properties) }
        parameters.add(properties, text: \.self)
        parameters.add(rows, text: \.value.account)
        parameters.add(rows, integer: { $0.value.retiredAt?.microseconds })
        return Step(statements.insertKeys, parameters)
    }

    static func insert(
        _ rows: some Collection<(key: RowKey, value: UsedDigest)>, _ statements: LedgerStatements
    ) -> Step {
        var parameters = Parameters()
        parameters.add(rows, bytes: \.key.bytes)
        parameters.add(rows, bytes: \.key.whole)
        parameters.add(rows, text: \.value.app)
        parameters.add(rows, text: \.value.kind.name)
        parameters.add(rows, integer: { $0.value.madeAt.microseconds })
        parameters.add(rows, integer: { $0.value.usedAt.microseconds })
        parameters.add(rows, integer: { $0.value.until.microseconds })
        return Step(statements.insertDigests, parameters)
    }
}
