import AssayCore
import AssayPrimitives

/// The rows that the writes of a batch are decided on.
struct BatchNeeds {
    private(set) var challenges: Set<RowKey> = []
    private(set) var keys: Set<RowKey> = []
    /// The blocks on these keys count.
    private(set) var standings: Set<RowKey> = []
    private(set) var digests: Set<RowKey> = []
    /// Accounts whose other keys count, because an enrolment has a limit.
    private(set) var accounts: Set<[UInt8]> = []
    /// The rows that serialise enrolments with a limit: one lock for several accounts.
    private(set) var accountLocks: Set<Int32> = []

    init(_ writes: [PendingWrite]) {
        for pending in writes {
            switch pending.write {
            case .issue(let challenge): challenges.insert(RowKey(challenge.value))
            case .commit(let effects): for effect in effects { add(effect.action) }
            }
        }
    }

    private mutating func add(_ action: LedgerEffect.Action) {
        switch action {
        case .consumeChallenge(let value, _, _): challenges.insert(RowKey(value))
        case .enrol(let key, let rules):
            keys.insert(RowKey(key.identifier))
            standings.insert(Self.block(on: key.identifier))
            guard rules.limit != nil, let account = key.account else { return }
            let hash = Digest.sha256(Array(account.utf8))
            accounts.insert(hash)
            accountLocks.insert((Int32(hash[0]) << 8 | Int32(hash[1])) % LedgerSchema.accountLocks)
        case .advanceCounter(let advance):
            keys.insert(RowKey(advance.key))
            standings.insert(Self.block(on: advance.key))
        case .rememberDigest(let use): digests.insert(RowKey(use.digest))
        }
    }

    /// The row of the block on a key. Base64 without Foundation, whose own takes as long as the rest.
    static func block(on key: KeyIdentifier) -> RowKey {
        RowKey(LedgerSubject(.key, Base64.encode(key.value, .standard)))
    }

    /// The statements that lock and read the rows, in the order of ``BatchRows/load(_:_:)``.
    func steps(_ statements: LedgerStatements) -> [Step] {
        func step(_ statement: Statement, _ keys: Set<RowKey>) -> Step? {
            guard !keys.isEmpty else { return nil }
            var parameters = Parameters()
            parameters.add(keys.map(\.bytes))
            return Step(statement, parameters)
        }
        var steps: [Step] = []
        if !accountLocks.isEmpty {
            var parameters = Parameters()
            parameters.add(Array(accountLocks))
            steps.append(Step(statements.lockAccounts, parameters))
        }
        if let step = step(statements.lockChallenges, challenges) { steps.append(step) }
        if accounts.isEmpty {
            if let step = step(statements.lockKeys, keys) { steps.append(step) }
        } else {
            var parameters = Parameters()
            parameters.add(keys.map(\.bytes))
            parameters.add(Array(accounts))
            steps.append(Step(statements.lockKeysOfAccounts, parameters))
        }
        if let step = step(statements.findStandings, standings) { steps.append(step) }
        if let step = step(statements.findDigests, digests) { steps.append(step) }
        return steps
    }
}
