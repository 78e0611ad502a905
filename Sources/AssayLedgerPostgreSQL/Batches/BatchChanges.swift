import AssayCore
import AssayPrimitives
import FoundationEssentials

/// The statements that store what a batch has changed. Tables come in one order, and rows in the order of their keys.
extension BatchRows {
    func changes(_ statements: LedgerStatements) throws -> [Step] {
        var steps: [Step] = []
        let newChallenges = challenges.lazy.compactMap(\.self).filter(\.isNew)
        if !newChallenges.isEmpty {
            let rows = newChallenges.map { (RowKey($0.challenge.value), $0.challenge, $0.consumedAt) }
            steps.append(Self.insert(Array(rows), statements))
        }
        let newKeys = keys.compactMap { $0?.isNew == true ? $0?.whole.map { (RowKey($0.identifier), $0) } : nil }
        if !newKeys.isEmpty { steps.append(try Self.insert(newKeys, statements)) }
        let uses = digests.compactMap { $0?.use.map { (RowKey($0.digest), $0) } }
        if !uses.isEmpty { steps.append(Self.insert(uses, statements)) }
        let consumed = challenges.indices.filter { challenges[$0].map { $0.isConsumed && !$0.isNew } ?? false }
        if !consumed.isEmpty {
            var parameters = Parameters()
            parameters.add(needs.challenges, at: consumed)
            parameters.add(consumed, integer: { challenges[$0]?.consumedAt?.microseconds })
            parameters.add(Int64(consumed.count))
            steps.append(Step(statements.consumeChallenges, parameters))
        }
        let advanced = keys.indices.filter { keys[$0].map { $0.advanced != nil && !$0.isNew } ?? false }
        if !advanced.isEmpty {
            var parameters = Parameters()
            parameters.add(needs.keys, at: advanced)
            parameters.add(advanced, integer: { keys[$0]?.advanced.map { Int64($0.greatest) } })
            parameters.add(advanced, bytes: { keys[$0]?.advanced?.skipped })
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
