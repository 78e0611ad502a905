import AssayCore
import AssayPrimitives

extension LedgerContract {
    static let accountCases: [AdministrationCase] = [
        AdministrationCase("a key belongs to the account that it was enrolled for") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(1, account: "alice")), Sample.enrol(Sample.key(2)))
            try expectEqual(
                try await ledger.enrolledKey(Sample.identifier()), Sample.key(account: "alice"), "the enrolled key")
            try expectEqual(try await ledger.keys(of: "alice"), [Sample.key(account: "alice")], "the keys of alice")
            try expectEqual(try await ledger.keys(of: "Alice"), [], "the keys of another name")
        },
        AdministrationCase("the keys of an account are listed in the order of their enrolment") { ledger in
            for seed: UInt8 in [3, 1, 2] {
                let key = Sample.key(seed, enrolledAt: Sample.later(Double(seed)), account: "alice")
                try await ledger.apply(Sample.enrol(key))
            }
            try expectEqual(
                try await ledger.keys(of: "alice").map(\.identifier), [1, 2, 3].map { Sample.identifier($0) },
                "the order of the keys")
        },
        AdministrationCase("a key is moved to another account by hand") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(account: "alice")))
            let before = try await ledger.move(Sample.identifier(), to: "bob", by: "ops", at: Sample.now)
            try expectEqual(before, Sample.key(account: "alice"), "the key as it was")
            try expectEqual(try await ledger.keys(of: "alice"), [], "the keys of alice")
            try expectEqual(try await ledger.keys(of: "bob"), [Sample.key(account: "bob")], "the keys of bob")
            try await ledger.refuse(Sample.use(account: "alice"), .keyOfAnotherAccount)
            try await ledger.apply(Sample.use(account: "bob"))
            try await ledger.move(Sample.identifier(), to: nil, by: "ops", at: Sample.now)
            try expectEqual(try await ledger.enrolledKey(Sample.identifier()), Sample.key(), "the key of no account")
            try expectEqual(
                try await ledger.move(Sample.identifier(9), to: "bob", by: "ops", at: Sample.now), nil, "an unknown key"
            )
        },
    ]

    static let auditCases: [AdministrationCase] = [
        AdministrationCase("each change by hand is noted once, in order, and nothing else is") { ledger in
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
            let trail = try await ledger.trail()
            try expectEqual(
                trail.map(\.change),
                [
                    LedgerChange(setting: .blocked(block)), LedgerChange(setting: .allowed(allowance)),
                    LedgerChange(removing: .blocked(block), by: "eve", at: Sample.later(1)),
                    LedgerChange(moving: Sample.key(account: "alice"), to: "bob", by: nil, at: Sample.later(3)), use,
                ], "the audit trail")
            for (subject, number, limit, expected) in [
                (nil, nil, 2, [trail[4], trail[3]]), (nil, 3, 9, [trail[1], trail[0]]),
                (block.subject.description, nil, 9, [trail[2], trail[0]]),
                (block.subject.description, 3, 1, [trail[0]]), ("device d", nil, 1, []),
            ] as [(String?, Int?, Int, [LedgerAuditEntry])] {
                try expectEqual(
                    try await ledger.auditEntries(of: subject, before: number, atMost: limit), expected,
                    "the last entries")
            }
        },
        AdministrationCase("the entries of a durable ledger's audit trail are chained by their hashes") { ledger in
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
        AdministrationCase("changes that race are all noted, in one chain") { ledger in
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
}

extension LedgerAdministration {
    /// Every entry of the audit trail.
    func trail() async throws -> [LedgerAuditEntry] {
        var entries: [LedgerAuditEntry] = []
        try await audit { entries.append($0) }
        return entries
    }
}
