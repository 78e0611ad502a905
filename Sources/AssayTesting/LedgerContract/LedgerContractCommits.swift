import AssayCore

extension LedgerContract {
    static let commitCases: [Case] = [
        Case("a refusal names every effect that fails, and only those") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(counter: 5)))
            let codes = try await ledger.codes(
                Sample.consume(9), Sample.advance(5), Sample.remember(Sample.digest()), Sample.enrol(Sample.key(2)))
            try expectEqual(codes, ["challenge-unknown", "counter-not-increasing", nil, nil], "the refusals")
        },
        Case("a refusal changes nothing") { ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.apply(Sample.enrol(Sample.key(counter: 5)))
            // Insert a failing effect at every position.
            let good = [
                Sample.consume(), Sample.advance(6), Sample.remember(Sample.digest()), Sample.enrol(Sample.key(2)),
            ]
            for place in 0...good.count {
                var effects = good
                effects.insert(Sample.consume(9), at: place)
                let outcome = try await ledger.commit(effects, at: Sample.now)
                try expect(!outcome.isApplied, "a commit with an unknown challenge was applied")
                try expectEqual(try await ledger.counter(), 5, "the counter after a refusal")
            }
            try await ledger.apply(good[0], good[1], good[2], good[3])
        },
        Case("a commit applies all its effects") { ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.apply(Sample.enrol(Sample.key(counter: 5)))
            try await ledger.apply(
                Sample.consume(), Sample.advance(6), Sample.remember(Sample.digest()), Sample.enrol(Sample.key(2)))
            let codes = try await ledger.codes(
                Sample.consume(), Sample.advance(6), Sample.remember(Sample.digest()), Sample.enrol(Sample.key(2)))
            try expectEqual(
                codes, ["challenge-consumed", "counter-not-increasing", "digest-used", "key-enrolled"],
                "the second time")
        },
        Case("effects are decided against the state before the commit, one an entry") { ledger in
            let effects = [Sample.enrol(Sample.key()), Sample.advance(1)]
            do {
                let outcome = try await ledger.commit(effects, at: Sample.now)
                try expect(!outcome.isApplied, "two effects on one key were both applied")
            } catch is LedgerOutage {
                // An outage without a decision is valid too.
            }
            try expectEqual(try await ledger.counter(), nil, "the counter of a key that was not enrolled")
        },
        Case("a commit without effects is applied, and one that confirms subjects without a block") { ledger in
            try expect(try await ledger.commit([], at: Sample.now).isApplied, "nothing to do was refused")
            let subjects = [LedgerSubject(.account, "alice"), Sample.identifier().subject]
            try await ledger.apply(Sample.confirm(subjects[0]), Sample.confirm(subjects[1]))
            try expectEqual(try await ledger.standings(of: subjects, at: Sample.now), [], "the standings")
        },
    ]

    static let exportCases: [AdministrationCase] = [
        AdministrationCase("a check asks about every enrolled key") { ledger in
            for seed: UInt8 in [1, 2, 3] { try await ledger.apply(Sample.enrol(Sample.key(seed))) }
            try expectEqual(try await ledger.check { _ in nil }, [], "the problems of a sound ledger")
            let problems = try await ledger.check { $0 == Sample.key(2) ? "is strange" : nil }
            try expect(
                problems.count == 1 && problems[0].contains("is strange"),
                "one key has a problem, and the check reports \(problems)")
        },
        AdministrationCase("an export is complete, and in the order of its sections") { ledger in
            try expectEqual(try await ledger.entries(), [], "the export of an empty ledger")
            let blocks = [
                Sample.block(LedgerSubject(.account, "alice")),
                Sample.block(LedgerSubject(.device, "d1"), until: Sample.later(9)),
            ]
            let allowance = Sample.allowance(LedgerSubject(.device, "d2"), until: Sample.later(9))
            try await ledger.allow(allowance)
            for block in blocks { try await ledger.block(block) }
            try await ledger.apply(Sample.remember(Sample.digest(1)), Sample.remember(Sample.digest(2)))
            try await ledger.apply(Sample.enrol(Sample.key(1)), Sample.enrol(Sample.key(2, counter: .max)))
            for seed: UInt8 in [1, 2] { try await ledger.issue(Sample.challenge(seed), at: Sample.now) }
            try await ledger.apply(Sample.consume(2), at: Sample.later(1))
            let stored = Sample.operator("alice")
            try expectEqual(try await ledger.addOperator(stored, tokenHash: Sample.bytes(1)), nil, "a new operator")
            let document = LedgerDocument(bytes: [0, 255], revision: 1, storedAt: Sample.now)
            let isStored = try await ledger.store(document.bytes, named: "devices", replacing: 0, at: Sample.now)
            try expect(isStored, "a new document was not stored")
            let isPut = try await ledger.putTask(
                [1], in: "work", dueAt: Sample.later(1), bytes: [2], replacing: 0, at: Sample.now)
            try expect(isPut, "a new task was not stored")
            let task = LedgerTask(queue: "work", key: [1], dueAt: Sample.later(1), holder: nil, bytes: [2], revision: 1)
            let expected: [LedgerEntry] = [
                .challenge(Sample.challenge(1), consumedAt: nil),
                .challenge(Sample.challenge(2), consumedAt: Sample.later(1)),
                .key(Sample.key(1)), .key(Sample.key(2, counter: .max)),
                .digest(Sample.digest(1)), .digest(Sample.digest(2)), .block(blocks[0]), .block(blocks[1]),
                .allowance(allowance), .operator(stored), .document(document, named: "devices"), .task(task),
            ]
            let found = try await ledger.entries()
            try expectEqual(found.count, expected.count, "the number of entries")
            try expectEqual(found.map(\.section), expected.map(\.section), "the order of the sections")
            for entry in expected { try expect(found.contains(entry), "not exported: \(entry)") }
            let summary = LedgerSummary(
                openChallenges: 1, consumedChallenges: 1, keys: 2, digests: 2, blocks: 2, allowances: 1, operators: 1,
                documents: 1, tasks: 1)
            try expectEqual(try await ledger.summary(at: Sample.later(2)), summary, "the summary")
        },
        AdministrationCase("a summary counts what holds at its time") { ledger in
            for seed: UInt8 in [1, 2] { try await ledger.issue(Sample.challenge(seed), at: Sample.now) }
            try await ledger.apply(Sample.consume(1), Sample.remember(Sample.digest()), Sample.enrol(Sample.key()))
            try await ledger.block(Sample.block(LedgerSubject(.account, "alice"), until: Sample.later(300)))
            try await ledger.allow(Sample.allowance(LedgerSubject(.device, "d1"), until: Sample.later(300)))
            let ending = Sample.operator("alice", lasting: 300)
            try expectEqual(try await ledger.addOperator(ending, tokenHash: Sample.bytes(1)), nil, "a new operator")
            let late = LedgerSummary(
                openChallenges: 0, consumedChallenges: 0, keys: 1, digests: 0, blocks: 0, allowances: 0, operators: 0,
                documents: 0, tasks: 0)
            try expectEqual(try await ledger.summary(at: Sample.later(300)), late, "the summary after all has ended")
        },
        AdministrationCase("what an export's receiver throws ends the export") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(1)), Sample.enrol(Sample.key(2)))
            var seen = 0
            do {
                try await ledger.export { _ in
                    seen += 1
                    throw CancellationError()
                }
            } catch is CancellationError {
                seen += 10
            }
            try expectEqual(seen, 11, "entries handed out before the error, plus ten for the error")
        },
    ]
}

extension LedgerEntry {
    fileprivate var section: Int {
        switch self {
        case .challenge: 0
        case .key: 1
        case .digest: 2
        case .block: 3
        case .allowance: 4
        case .operator: 5
        case .document: 6
        case .task: 7
        }
    }
}
