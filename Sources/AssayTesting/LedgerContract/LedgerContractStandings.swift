import AssayCore
import FoundationEssentials

extension LedgerContract {
    static let blockCases: [AdministrationCase] = [
        AdministrationCase("a blocked key is neither enrolled, refreshed, advanced nor used") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(1)))
            for seed: UInt8 in [1, 2] { try await ledger.block(Sample.block(Sample.identifier(seed).subject)) }
            for effect in [Sample.advance(1), Sample.refresh(Sample.key(1)), Sample.use()] {
                try await ledger.refuse(effect, .blocked(Sample.block(Sample.identifier(1).subject)))
            }
            try await ledger.refuse(
                Sample.enrol(Sample.key(2)), .blocked(Sample.block(Sample.identifier(2).subject)))
            try expectEqual(try await ledger.counter(), 0, "the counter of a blocked key")
        },
        AdministrationCase(
            "a commit is refused whose subject was blocked meanwhile, and an allowance or an expired block is no block"
        ) { ledger in
            let account = LedgerSubject(.account, "alice")
            let device = LedgerSubject(.device, "Ger\u{E4}t, \u{0}, 1")
            try await ledger.apply(Sample.confirm(account), Sample.confirm(device), Sample.confirm(account))
            let block = Sample.block(account, until: Sample.later(60))
            try await ledger.block(block)
            let before = try await ledger.entries()
            let codes = try await ledger.codes(
                Sample.remember(Sample.digest()), Sample.confirm(account), Sample.confirm(device))
            try expectEqual(codes, [nil, "blocked", nil], "the refusals")
            try expectEqual(try await ledger.entries(), before, "the ledger after a refusal")
            // The same name of another kind, and a name with other bytes.
            try await ledger.apply(
                Sample.confirm(LedgerSubject(.device, "alice")), Sample.confirm(LedgerSubject(.account, "Alice")))
            try await ledger.refuse(Sample.confirm(account), .blocked(block), at: Sample.later(59.5))
            try await ledger.apply(Sample.confirm(account), at: Sample.later(60))
            try await ledger.allow(Sample.allowance(account, since: Sample.later(60)))
            try await ledger.apply(Sample.confirm(account))
            // With the key of the subject in one commit.
            try await ledger.apply(Sample.enrol(Sample.key(account: "alice")))
            try await ledger.apply(
                Sample.confirm(Sample.identifier().subject), Sample.advance(6), Sample.confirm(account))
            try await ledger.block(Sample.block(Sample.identifier().subject))
            let both = try await ledger.codes(
                Sample.confirm(Sample.identifier().subject), Sample.advance(7), Sample.confirm(account))
            try expectEqual(both, ["blocked", "blocked", nil], "the refusals of a blocked key")
        },
        AdministrationCase("a block ends at its time") { ledger in
            let block = Sample.block(Sample.identifier().subject, until: Sample.later(60))
            try await ledger.block(block)
            try await ledger.refuse(Sample.enrol(Sample.key()), .blocked(block), at: Sample.later(59.5))
            try await ledger.expectStandings([.blocked(block)], of: [block.subject], at: Sample.later(59.5))
            try await ledger.expectStandings([], of: [block.subject], at: Sample.later(60))
            try await ledger.apply(Sample.enrol(Sample.key()), at: Sample.later(60))
            let second = Sample.block(block.subject, until: Sample.later(120))
            try await ledger.block(second)
            try await ledger.refuse(Sample.use(), .blocked(second), at: Sample.later(119.5))
            try await ledger.apply(Sample.use(), at: Sample.later(120))
            try await ledger.allow(Sample.allowance(block.subject, since: Sample.later(120)))
            try await ledger.apply(Sample.use())
        },
        AdministrationCase("a block can be lifted, and says whether it was there") { ledger in
            let block = Sample.block(Sample.identifier().subject)
            try await ledger.block(block)
            try expectEqual(
                try await ledger.removeStanding(of: block.subject, by: "ops", at: Sample.now), .blocked(block),
                "the block that was lifted")
            try expectEqual(
                try await ledger.removeStanding(of: block.subject, by: "ops", at: Sample.now), nil,
                "lifting a block that was not there")
            try await ledger.expectStandings([], of: [block.subject])
            try await ledger.apply(Sample.enrol(Sample.key()))
        },
        AdministrationCase("a second block replaces the first") { ledger in
            let subject = LedgerSubject(.account, "alice")
            try await ledger.block(Sample.block(subject))
            let shorter = Sample.block(subject, until: Sample.later(10))
            try await ledger.block(shorter)
            try await ledger.expectStandings([.blocked(shorter)], of: [subject])
        },
        AdministrationCase("blocks are found by kind and name, and only those that were asked for") { ledger in
            let alice = LedgerSubject(.account, "alice")
            try await ledger.block(Sample.block(alice))
            let others = [
                LedgerSubject(.device, "alice"), LedgerSubject(.issuer, "alice"), LedgerSubject(.key, "alice"),
                LedgerSubject(.account, "Alice"), LedgerSubject(.account, "alice "), LedgerSubject(.account, "bob"),
            ]
            try await ledger.expectStandings([], of: others)
            try await ledger.expectStandings([.blocked(Sample.block(alice))], of: others + [alice])
            try await ledger.expectStandings([], of: [])
        },
        AdministrationCase("names are compared by their bytes") { ledger in
            // U+00E9 versus e with U+0301: Swift's == equates them.
            let spellings = ["caf\u{E9}", "cafe\u{301}"].map { LedgerSubject(.issuer, $0) }
            try await ledger.block(Sample.block(spellings[0]))
            try await ledger.expectStandings([.blocked(Sample.block(spellings[0]))], of: spellings)
            try await ledger.allow(Sample.allowance(spellings[1]))
            try await ledger.expectStandings(
                [.blocked(Sample.block(spellings[0])), .allowed(Sample.allowance(spellings[1]))], of: spellings)
        },
    ]

    static let allowanceCases: [AdministrationCase] = [
        AdministrationCase("an allowance is found while it is in force") { ledger in
            let device = LedgerSubject(.device, "d1")
            try await ledger.allow(Sample.allowance(device, until: Sample.later(60)))
            let allowed = LedgerStanding.allowed(Sample.allowance(device, until: Sample.later(60)))
            try await ledger.expectStandings([allowed], of: [device], at: Sample.later(59.5))
            try await ledger.expectStandings([], of: [device], at: Sample.later(60))
            try await ledger.allow(Sample.allowance(device))
            try await ledger.expectStandings([.allowed(Sample.allowance(device))], of: [device], at: .distantFuture)
        },
        AdministrationCase("removing a block leaves an allowance, and the other way round") { ledger in
            let device = LedgerSubject(.device, "d1")
            let (block, allowance) = (Sample.block(device), Sample.allowance(device))
            try await ledger.allow(allowance)
            try expectEqual(
                try await ledger.removeStanding(of: device, only: .block, by: "ops", at: Sample.now), nil,
                "a block that was not there")
            try await ledger.expectStandings([.allowed(allowance)], of: [device])
            try await ledger.block(block)
            try expectEqual(
                try await ledger.removeStanding(of: device, only: .allowance, by: "ops", at: Sample.now), nil,
                "an allowance that was not there")
            try await ledger.expectStandings([.blocked(block)], of: [device])
            try expectEqual(
                try await ledger.removeStanding(of: device, only: .block, by: "ops", at: Sample.now), .blocked(block),
                "the block")
            try await ledger.expectStandings([], of: [device])
        },
        AdministrationCase("an allowance can be ended, and says whether it was there") { ledger in
            let allowance = Sample.allowance(LedgerSubject(.device, "d1"))
            try await ledger.allow(allowance)
            try expectEqual(
                try await ledger.removeStanding(of: allowance.subject, by: "ops", at: Sample.now), .allowed(allowance),
                "the allowance that was ended")
            try expectEqual(
                try await ledger.removeStanding(of: allowance.subject, by: "ops", at: Sample.now), nil,
                "ending one that was not there")
            try await ledger.expectStandings([], of: [allowance.subject])
        },
        AdministrationCase("a block replaces an allowance, and an allowance a block that has ended") { ledger in
            let subject = Sample.identifier().subject
            try await ledger.allow(Sample.allowance(subject))
            let block = Sample.block(subject, until: Sample.later(60))
            try await ledger.block(block)
            try await ledger.refuse(Sample.enrol(Sample.key()), .blocked(block))
            // The allowance must not return after the block expires.
            try await ledger.expectStandings([], of: [subject], at: Sample.later(60))
            let later = Sample.allowance(subject, since: Sample.later(60))
            try expectEqual(try await ledger.allow(later), nil, "a block that has ended")
            try await ledger.expectStandings([.allowed(later)], of: [subject])
            try await ledger.apply(Sample.enrol(Sample.key()))
            try expectEqual(
                try await ledger.entries().filter { $0 != .key(Sample.key()) }, [.allowance(later)], "what is left")
        },
        AdministrationCase("an allowance does not replace a block in force") { ledger in
            let block = Sample.block(Sample.identifier().subject, until: Sample.later(60))
            let allowance = Sample.allowance(block.subject, since: Sample.later(59.5))
            try await ledger.block(block)
            try expectEqual(try await ledger.allow(allowance), block, "the block that is in force")
            try await ledger.expectStandings([.blocked(block)], of: [block.subject])
            try expectEqual(
                try await ledger.trail().map(\.change), [LedgerChange(setting: .blocked(block))], "the audit trail")
            try await ledger.removeStanding(of: block.subject, by: "ops", at: Sample.now)
            try expectEqual(try await ledger.allow(allowance), nil, "a block that was removed")
        },
        AdministrationCase("of a block and allowances that race, the block stays") { ledger in
            for round in 0..<20 {
                let block = Sample.block(LedgerSubject(.device, "d\(round)"))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<8 {
                        group.addTask {
                            if index == round % 8 {
                                try await ledger.block(block)
                            } else {
                                try await ledger.allow(Sample.allowance(block.subject))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                try await ledger.expectStandings([.blocked(block)], of: [block.subject])
            }
        },
        AdministrationCase("standings are returned in the order of the subjects, for any number") { ledger in
            let subjects = (0..<300).map { LedgerSubject(LedgerSubject.Kind.allCases[$0 % 4], "s\($0 * 7919 % 300)") }
            var expected: [LedgerStanding] = []
            for (index, subject) in subjects.enumerated() where !index.isMultiple(of: 3) {
                if index.isMultiple(of: 2) {
                    try await ledger.block(Sample.block(subject))
                    expected.append(.blocked(Sample.block(subject)))
                } else {
                    try await ledger.allow(Sample.allowance(subject))
                    expected.append(.allowed(Sample.allowance(subject)))
                }
            }
            try await ledger.expectStandings(expected, of: subjects)
            try await ledger.expectStandings(expected.reversed(), of: subjects.reversed())
        },
        AdministrationCase("a ledger that claims to have no standings has none") { ledger in
            let subject = LedgerSubject(.device, "d1")
            try await ledger.block(Sample.block(subject, until: Sample.later(-1)))
            try expect(!ledger.isWithoutStandings, "a block was denied")
            try await ledger.allow(Sample.allowance(subject))
            try expect(!ledger.isWithoutStandings, "an allowance was denied")
            try await ledger.allow(Sample.allowance(LedgerSubject(.device, "d2")))
            try await ledger.removeStanding(of: subject, by: "ops", at: Sample.now)
            try expect(!ledger.isWithoutStandings, "an allowance that is left was denied")
        },
    ]
}

extension LedgerAdministration {
    fileprivate func expectStandings(
        _ expected: [LedgerStanding], of subjects: [LedgerSubject], at now: Date = Sample.now
    ) async throws {
        try expectEqual(try await standings(of: subjects, at: now), expected, "the standings at \(RFC3339.format(now))")
        try expectEqual(
            try await blocks(on: subjects, at: now), expected.compactMap(\.block),
            "the blocks at \(RFC3339.format(now))")
    }
}
