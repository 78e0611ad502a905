import AssayCore
import AssayPrimitives

/// The rows that the writes of a batch are decided on, each once.
struct BatchNeeds {
    /// Rows of one table, each with a place.
    struct Rows {
        private(set) var keys: [RowKey] = []
        private var places: [RowKey: Int] = [:]

        /// The place of a row, which is added if it is new.
        mutating func add(_ key: RowKey) -> Int {
            if let place = places[key] { return place }
            places[key] = keys.count
            keys.append(key)
            return keys.count - 1
        }

        func place(of key: RowKey) -> Int? { places[key] }

        mutating func reserveCapacity(_ count: Int) {
            keys.reserveCapacity(count)
            places.reserveCapacity(count)
        }
    }

    private(set) var challenges = Rows()
    private(set) var keys = Rows()
    private(set) var digests = Rows()
    /// The rows of the blocks on `keys`, in their order.
    private(set) var blocks: [RowKey] = []
    /// The rows of the blocks on other subjects.
    private(set) var subjects = Rows()
    /// For each write in turn: the place of the new challenge, or the place of the row of each effect.
    private(set) var places: [Int] = []
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

    private mutating func add(_ row: LedgerEffect.Row) -> Int {
        switch row {
        case .challenge(let value): challenges.add(RowKey(value))
        case .key(let identifier): add(identifier)
        case .digest(let digest): digests.add(RowKey(digest))
        case .standing(let subject): subjects.add(RowKey(subject))
        }
    }

    private mutating func enrol(_ key: EnrolledKey, _ rules: EnrolmentRules, at place: Int) {
        enrolled.insert(place)
        guard rules.limit != nil, let account = key.account else { return }
        let hash = Digest.sha256(Array(account.utf8))
        accounts.insert(hash)
        accountLocks.insert((Int32(hash[0]) << 8 | Int32(hash[1])) % LedgerSchema.accountLocks)
    }

    private mutating func add(_ key: KeyIdentifier) -> Int {
        let place = keys.add(RowKey(key))
        if place == blocks.count { blocks.append(RowKey(blockOn: key)) }
        return place
    }

    /// The statements that lock and read the rows, in the order of ``BatchRows/init(_:_:)``.
    func steps(_ statements: LedgerStatements) -> [Step] {
        var steps: [Step] = []
        func add(_ statement: Statement, _ keys: [RowKey]) {
            guard !keys.isEmpty else { return }
            var parameters = Parameters()
            parameters.add(keys, bytes: { $0.bytes })
            steps.append(Step(statement, parameters))
        }
        if !accountLocks.isEmpty {
            var parameters = Parameters()
            parameters.add(Array(accountLocks))
            steps.append(Step(statements.lockAccounts, parameters))
        }
        add(statements.lockChallenges, challenges.keys)
        // One statement for all keys: two would not lock them in the order of their keys.
        if accounts.isEmpty {
            add(enrolled.isEmpty ? statements.lockKeyStates : statements.lockKeys, keys.keys)
        } else {
            var parameters = Parameters()
            parameters.add(keys.keys, bytes: { $0.bytes })
            parameters.add(accounts, bytes: { $0 })
            steps.append(Step(statements.lockKeysOfAccounts, parameters))
        }
        add(statements.findStandings, subjects.keys.isEmpty ? blocks : blocks + subjects.keys)
        add(statements.findDigests, digests.keys)
        return steps
    }
}
