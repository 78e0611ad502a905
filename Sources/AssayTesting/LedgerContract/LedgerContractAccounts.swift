import AssayCore
import AssayPrimitives
import FoundationEssentials

extension LedgerContract {
    static let accountCases: [Case] = [
        Case("a key belongs to the account that it was enrolled for") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(1, account: "alice")), Sample.enrol(Sample.key(2)))
            try expectEqual(
                try await ledger.enrolledKey(Sample.identifier()), Sample.key(account: "alice"), "the enrolled key")
            try expectEqual(try await ledger.keys(of: "alice"), [Sample.key(account: "alice")], "the keys of alice")
            try expectEqual(try await ledger.keys(of: "Alice"), [], "the keys of another name")
        },
        Case("the keys of an account are listed in the order of their enrolment") { ledger in
            for seed: UInt8 in [3, 1, 2] {
                let key = Sample.key(seed, enrolledAt: Sample.later(Double(seed)), account: "alice")
                try await ledger.apply(Sample.enrol(key))
            }
            try expectEqual(
                try await ledger.keys(of: "alice").map(\.identifier), [1, 2, 3].map { Sample.identifier($0) },
                "the order of the keys")
        },
        Case("a refresh binds a key without an account, and never changes the account") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            try await ledger.apply(Sample.refresh(Sample.key(account: "alice")))
            try await ledger.apply(Sample.refresh(Sample.key()))
            try expectEqual(try await ledger.enrolledKey(Sample.identifier())?.account, "alice", "the account")
            try await ledger.refuse(Sample.refresh(Sample.key(account: "bob")), .keyOfAnotherAccount)
            try expectEqual(try await ledger.enrolledKey(Sample.identifier())?.account, "alice", "the account")
        },
        Case("a key is moved to another account by hand") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(account: "alice")))
            let before = try await ledger.move(Sample.identifier(), to: "bob", by: "ops", at: Sample.now)
            try expectEqual(before, Sample.key(account: "alice"), "the key as it was")
            try expectEqual(try await ledger.keys(of: "alice"), [], "the keys of alice")
            try expectEqual(try await ledger.keys(of: "bob"), [Sample.key(account: "bob")], "the keys of bob")
            try await ledger.move(Sample.identifier(), to: nil, by: "ops", at: Sample.now)
            try expectEqual(try await ledger.enrolledKey(Sample.identifier()), Sample.key(), "the key of no account")
            try expectEqual(
                try await ledger.move(Sample.identifier(9), to: "bob", by: "ops", at: Sample.now), nil, "an unknown key"
            )
        },
        Case("keys beyond the limit of an account are refused") { ledger in
            for seed: UInt8 in [1, 2] { try await ledger.apply(limited(seed, .refuse)) }
            try await ledger.refuse(limited(3, .refuse), .devicesExceeded(keys: 2, maximum: 2))
            try await ledger.apply(limited(3, .refuse, account: "bob"), limited(4, .refuse, account: nil))
            try await ledger.apply(limited(5, .refuse, app: "other"))
            // The same key again does not count as another key.
            try await ledger.apply(limited(2, .refuse))
        },
        Case("keys beyond the limit of an account are noted") { ledger in
            for seed: UInt8 in [1, 2] { try await ledger.apply(limited(seed, .note)) }
            let outcome = try await ledger.commit([limited(3, .note)], at: Sample.now)
            try expect(outcome.isApplied, "a limit that is only noted refused a key")
            try expectEqual(outcome.enrolment, .exceeds(keys: 3, maximum: 2), "the note")
        },
        Case("the oldest keys of an account are retired, and stay so") { ledger in
            for seed: UInt8 in [1, 2] { try await ledger.apply(limited(seed, .retireOldest), at: Sample.now) }
            let later = Sample.later(60)
            let outcome = try await ledger.commit([limited(3, .retireOldest)], at: later)
            try expectEqual(outcome.enrolment, .retired(keys: 1, maximum: 2), "the note")
            try expectEqual(
                try await ledger.keys(of: "alice").map(\.retiredAt), [later, nil, nil], "the times of retirement")
            try await ledger.refuse(Sample.advance(1, seed: 1), .keyRetired(later))
            try await ledger.refuse(limited(1, .retireOldest), .keyRetired(later))
            try await ledger.apply(Sample.advance(1, seed: 2), Sample.advance(1, seed: 3))
            try expectEqual(try await ledger.counter(1), 0, "the counter of a retired key")
        },
        Case("of keys that race for the last place of an account one is enrolled") { ledger in
            try await ledger.apply(limited(1, .refuse))
            let seeds: [UInt8] = [2, 3, 4, 5, 6, 7]
            let applied = try await withThrowingTaskGroup(of: Bool.self) { group in
                for seed in seeds {
                    group.addTask { try await ledger.commit([limited(seed, .refuse)], at: Sample.now).isApplied }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expectEqual(applied, 1, "the keys that were enrolled")
            try expectEqual(try await ledger.keys(of: "alice").count, 2, "the keys of the account")
        },
    ]

    static let auditCases: [Case] = [
        Case("each change by hand is noted once, in order, and nothing else is") { ledger in
            let block = Sample.block(LedgerSubject(.device, "d1"), until: Sample.later(60))
            try await ledger.apply(Sample.enrol(Sample.key(account: "alice")))
            try await ledger.block(block)
            let allowance = Sample.allowance(LedgerSubject(.account, "alice"))
            try await ledger.allow(allowance)
            try await ledger.removeStanding(of: block.subject, by: "eve", at: Sample.later(1))
            try await ledger.removeStanding(of: block.subject, by: "eve", at: Sample.later(2))
            try await ledger.move(Sample.identifier(), to: "bob", by: nil, at: Sample.later(3))
            try await ledger.move(Sample.identifier(), to: "bob", by: nil, at: Sample.later(4))
            let use = LedgerChange(
                usingDebugToken: "ci", app: "shop", audience: "api", by: "eve", at: Sample.later(5))
            try await ledger.record(use)
            try expectEqual(
                try await ledger.trail().map(\.change),
                [
                    LedgerChange(setting: .blocked(block)), LedgerChange(setting: .allowed(allowance)),
                    LedgerChange(removing: .blocked(block), by: "eve", at: Sample.later(1)),
                    LedgerChange(moving: Sample.key(account: "alice"), to: "bob", by: nil, at: Sample.later(3)), use,
                ], "the audit trail")
        },
        Case("the entries of a durable ledger's audit trail are chained by their hashes") { ledger in
            for number in 0..<20 {
                try await ledger.block(Sample.block(LedgerSubject(.issuer, "caf\u{E9} \"\(number)\"\n")))
            }
            let trail = try await ledger.trail()
            try expectEqual(trail.map(\.number), Array(1...20), "the numbers of the entries")
            guard ledger.durability == .durable else {
                try expect(trail.allSatisfy { $0.hash.isEmpty }, "an ephemeral ledger has hashes")
                return
            }
            var previous = LedgerAuditEntry.noHash
            for entry in trail {
                try expectEqual(entry.previousHash, previous, "the hash of the entry before \(entry.number)")
                previous = Digest.sha256(Array(entry.text.utf8))
                try expectEqual(entry.hash, previous, "the hash of entry \(entry.number)")
            }
        },
        Case("changes that race are all noted, in one chain") { ledger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    group.addTask { try await ledger.block(Sample.block(LedgerSubject(.device, "d\(number)"))) }
                }
                try await group.waitForAll()
            }
            let trail = try await ledger.trail()
            try expectEqual(trail.map(\.number), Array(1...24), "the numbers of the entries")
            try expectEqual(
                Set(trail.map(\.change.subject)), Set((0..<24).map { "device d\($0)" }), "the subjects of the entries")
            for (entry, next) in zip(trail, trail.dropFirst()) {
                try expectEqual(next.previousHash, entry.hash, "the hash of the entry before \(next.number)")
            }
        },
    ]

    /// Enrols or refreshes a key of an account that may have two of the app.
    private static func limited(
        _ seed: UInt8, _ excess: AccountKeyLimit.Excess, app: String = Sample.app, account: String? = "alice"
    ) -> LedgerEffect {
        let key = Sample.key(seed, app: app, enrolledAt: Sample.later(Double(seed)), account: account)
        return LedgerEffect(
            Sample.check,
            .enrol(key, EnrolmentRules(refreshKeeping: [], limit: AccountKeyLimit(maximum: 2, excess: excess))))
    }
}

extension LedgerAdministration {
    /// Every entry of the audit trail.
    func trail() async throws -> [LedgerAuditEntry] {
        var entries: [LedgerAuditEntry] = []
        try await audit { entries.append($0) }
        return entries
    }
}
