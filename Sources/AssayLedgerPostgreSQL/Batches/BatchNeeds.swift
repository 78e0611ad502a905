import AssayCore
import AssayPrimitives

/// The rows that the writes of a batch are decided on, each once.
struct BatchNeeds {
    private(set) var challenges = RowSet()
    private(set) var keys = RowSet()
    private(set) var digests = RowSet()
    /// For each write in turn: the place of the new challenge, or the place of the row of each effect.
    private(set) var places: [Int] = []
    /// Whether blocks decide: on keys, or on other subjects.
    private(set) var hasSubjects = false
    /// The places of keys that are enrolled. All columns of their rows count, of others only those of their state.
    private(set) var enrolled: Set<Int> = []
    /// Accounts whose other keys count, because an enrolment has a limit.
    private(set) var accounts: Set<[UInt8]> = []
    /// The rows that serialise enrolments with a limit: one lock for several accounts.
    private(set) var accountLocks: Set<Int32> = []

    init(_ writes: [PendingWrite]) {
        places.reserveCapacity(writes.count)
        keys.reserveCapacity(writes.count)
        // By index: an element in a variable is a copy, whose references are counted.
        for index in writes.indices {
            switch writes[index].write {
            case .issue(let challenge): places.append(challenges.add(RowKey(challenge.value)))
            case .commit(let effects):
                for effect in effects.indices {
                    let place = add(effects[effect].action.row)
                    places.append(place)
                    if case .enrol(let key, let rules) = effects[effect].action { enrol(key, rules, at: place) }
                }
            case .prove: break
            }
        }
    }

    /// - Returns: the place of the row; 0 for a standing, which is found by its subject.
    private mutating func add(_ row: LedgerEffect.Row) -> Int {
        switch row {
        case .challenge(let value): return challenges.add(RowKey(value))
        case .key(let identifier):
            hasSubjects = true
            return keys.add(identifier)
        case .digest(let digest): return digests.add(RowKey(digest))
        case .standing:
            hasSubjects = true
            return 0
        }
    }

    private mutating func enrol(_ key: EnrolledKey, _ rules: EnrolmentRules, at place: Int) {
        enrolled.insert(place)
        guard rules.limit != nil, let account = key.account else { return }
        let hash = Digest.sha256(Array(account.utf8))
        accounts.insert(hash)
        accountLocks.insert((Int32(hash[0]) << 8 | Int32(hash[1])) % LedgerSchema.accountLocks)
    }

    /// The statements that lock and read the rows, in the order of ``BatchRows/init(_:_:)``.
    ///
    /// - Parameter standings: the statement that reads the blocks.
    func steps(_ statements: LedgerStatements, standings: Step) -> [Step] {
        var steps: [Step] = []
        func add(_ statement: Statement, _ keys: RowSet) {
            guard keys.count > 0 else { return }
            var parameters = Parameters()
            parameters.add(keys)
            steps.append(Step(statement, parameters))
        }
        if !accountLocks.isEmpty {
            var parameters = Parameters()
            parameters.add(Array(accountLocks))
            steps.append(Step(statements.lockAccounts, parameters))
        }
        add(statements.lockChallenges, challenges)
        // One statement for all keys: two would not lock them in the order of their keys.
        if accounts.isEmpty {
            add(enrolled.isEmpty ? statements.lockKeyStates : statements.lockKeys, keys)
        } else {
            var parameters = Parameters()
            parameters.add(keys)
            parameters.add(accounts, bytes: { $0 })
            steps.append(Step(statements.lockKeysOfAccounts, parameters))
        }
        add(statements.findDigests, digests)
        if hasSubjects { steps.append(standings) }
        return steps
    }

    /// The statement that reads the blocks on the keys and the other subjects of writes.
    static func findStandings(of writes: [PendingWrite], _ statements: LedgerStatements) -> Step {
        var subjects = RowSet()
        for index in writes.indices {
            for effect in writes[index].write.effects {
                switch effect.action.row {
                case .key(let key): _ = subjects.add(RowKey(blockOn: key))
                case .standing(let subject): _ = subjects.add(RowKey(subject))
                case .challenge, .digest: break
                }
            }
        }
        var parameters = Parameters()
        parameters.add(subjects)
        return Step(statements.findStandings, parameters)
    }
}
