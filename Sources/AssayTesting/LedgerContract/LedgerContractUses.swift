import AssayCore
import FoundationEssentials

extension LedgerContract {
    static let useCases: [Case] = [
        Case("a key is used that is enrolled, for its app, and neither blocked nor retired") { ledger in
            try await ledger.refuse(use(), .keyUnknown)
            try await ledger.apply(Sample.enrol(Sample.key(account: "alice")))
            try await ledger.apply(use())
            try await ledger.refuse(use(app: "other"), .keyOfAnotherApp(Sample.app))
            try await ledger.refuse(use(2), .keyUnknown)
            let block = Sample.block(Sample.identifier().subject, until: Sample.later(60))
            try await ledger.block(block)
            try await ledger.refuse(use(), .blocked(block), at: Sample.later(59.5))
            try await ledger.apply(use(), at: Sample.later(60))
            try await ledger.allow(Sample.allowance(Sample.identifier().subject, since: Sample.later(60)))
            try await ledger.apply(use())
            let limit = AccountKeyLimit(maximum: 1, excess: .retireOldest)
            let newer = Sample.key(2, enrolledAt: Sample.later(60), account: "alice")
            try await ledger.apply(
                LedgerEffect(Sample.check, .enrol(newer, EnrolmentRules(limit: limit))), at: Sample.later(60))
            try await ledger.refuse(use(), .keyRetired(Sample.later(60)), at: Sample.later(61))
            try await ledger.apply(use(2), at: Sample.later(61))
        },
        Case("a key is used by the account that it belongs to") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(1, account: "alice")), Sample.enrol(Sample.key(2)))
            try await ledger.apply(use(account: "alice"))
            for account in ["bob", "Alice", "alice ", ""] {
                try await ledger.refuse(use(account: account), .keyOfAnotherAccount)
            }
            try await ledger.refuse(use(2, account: "alice"), .keyOfAnotherAccount)
            try await ledger.move(Sample.identifier(), to: "bob", by: "ops", at: Sample.now)
            try await ledger.refuse(use(account: "alice"), .keyOfAnotherAccount)
            try await ledger.apply(use(account: "bob"))
            try await ledger.apply(use())
        },
        Case("the use of a key changes nothing of it, and is no second effect on it") { ledger in
            let key = Sample.key(counter: 5, account: "alice")
            try await ledger.apply(Sample.enrol(key))
            let before = try await ledger.entries()
            try await ledger.apply(use(), use(account: "alice"))
            try expectEqual(try await ledger.entries(), before, "the ledger after uses of a key")
            try await ledger.apply(use(), Sample.advance(6), use(account: "alice"))
            try expectEqual(try await ledger.counter(), 6, "the counter")
            // Decided against the state before the commit.
            let codes = try await ledger.codes(Sample.enrol(Sample.key(2)), use(2))
            try expectEqual(codes, [nil, "key-unknown"], "an enrolment with the first use of its key")
        },
        Case("a refused use refuses the whole commit") { ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.apply(Sample.enrol(Sample.key(1)), Sample.enrol(Sample.key(2)))
            try await ledger.block(Sample.block(Sample.identifier().subject))
            let before = try await ledger.entries()
            let codes = try await ledger.codes(use(), Sample.consume(), Sample.remember(Sample.digest()), use(2))
            try expectEqual(codes, ["blocked", nil, nil, nil], "the refusals")
            try expectEqual(try await ledger.entries(), before, "the ledger after a refusal")
            try await ledger.apply(use(2), Sample.consume(), Sample.remember(Sample.digest()))
        },
        Case(
            "a commit is refused whose subject was blocked meanwhile, and an allowance or an expired block is no block"
        ) { ledger in
            let account = LedgerSubject(.account, "alice")
            let device = LedgerSubject(.device, "Ger\u{E4}t, \u{0}, 1")
            func confirm(_ subject: LedgerSubject) -> LedgerEffect {
                LedgerEffect(Sample.check, .confirmUnblocked(subject))
            }
            try await ledger.apply(confirm(account), confirm(device), confirm(account))
            let block = Sample.block(account, until: Sample.later(60))
            try await ledger.block(block)
            let before = try await ledger.entries()
            let codes = try await ledger.codes(Sample.remember(Sample.digest()), confirm(account), confirm(device))
            try expectEqual(codes, [nil, "blocked", nil], "the refusals")
            try expectEqual(try await ledger.entries(), before, "the ledger after a refusal")
            // The same name of another kind, and a name with other bytes.
            try await ledger.apply(confirm(LedgerSubject(.device, "alice")), confirm(LedgerSubject(.account, "Alice")))
            try await ledger.refuse(confirm(account), .blocked(block), at: Sample.later(59.5))
            try await ledger.apply(confirm(account), at: Sample.later(60))
            try await ledger.allow(Sample.allowance(account, since: Sample.later(60)))
            try await ledger.apply(confirm(account))
            // With the key of the subject in one commit.
            try await ledger.apply(Sample.enrol(Sample.key(account: "alice")))
            try await ledger.apply(confirm(Sample.identifier().subject), Sample.advance(6), confirm(account))
            try await ledger.block(Sample.block(Sample.identifier().subject))
            let both = try await ledger.codes(confirm(Sample.identifier().subject), Sample.advance(7), confirm(account))
            try expectEqual(both, ["blocked", "blocked", nil], "the refusals of a blocked key")
        },
        Case("racing uses of one key are all applied, and each digest with them once") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            let commits = (UInt8(0)..<32).map { [use(), Sample.remember(Sample.digest($0 / 2))] }
            let outcomes = try await race(ledger, commits)
            try expectEqual(outcomes.count { $0.isApplied }, 16, "applied commits")
            try expect(
                outcomes.allSatisfy { if case nil = $0.decisions[0] { true } else { false } }, "a use was refused")
        },
    ]

    private static func use(_ seed: UInt8 = 1, app: String = Sample.app, account: String? = nil) -> LedgerEffect {
        LedgerEffect(Sample.check, .useKey(KeyUse(key: Sample.identifier(seed), app: app, account: account)))
    }
}
