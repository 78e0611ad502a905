import AssayCore

extension LedgerContract {
    static let useCases: [Case] = [
        Case("a key is used that is enrolled, for its app, and not retired") { ledger in
            try await ledger.refuse(Sample.use(), .keyUnknown)
            try await ledger.apply(Sample.enrol(Sample.key(account: "alice")))
            try await ledger.apply(Sample.use())
            try await ledger.refuse(Sample.use(app: "other"), .keyOfAnotherApp(Sample.app))
            try await ledger.refuse(Sample.use(2), .keyUnknown)
            let limit = AccountKeyLimit(maximum: 1, excess: .retireOldest)
            let newer = Sample.key(2, enrolledAt: Sample.later(60), account: "alice")
            try await ledger.apply(
                LedgerEffect(Sample.check, .enrol(newer, EnrolmentRules(limit: limit))), at: Sample.later(60))
            try await ledger.refuse(Sample.use(), .keyRetired(Sample.later(60)), at: Sample.later(61))
            try await ledger.apply(Sample.use(2), at: Sample.later(61))
        },
        Case("names of apps are compared by their bytes") { ledger in
            let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
            try await ledger.issue(Sample.challenge(app: composed), at: Sample.now)
            try await ledger.refuse(
                Sample.consume(app: decomposed), .challengeMismatch(app: composed, purpose: Sample.purpose))
            try await ledger.apply(Sample.enrol(Sample.key(app: composed)))
            for effect in [
                Sample.refresh(Sample.key(app: decomposed)), Sample.advance(1, app: decomposed),
                Sample.use(app: decomposed),
            ] {
                try await ledger.refuse(effect, .keyOfAnotherApp(composed))
            }
            try await ledger.apply(
                Sample.consume(app: composed), Sample.advance(1, app: composed), Sample.use(app: composed))
        },
        Case("a key is used by the account that it belongs to") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(1, account: "alice")), Sample.enrol(Sample.key(2)))
            try await ledger.apply(Sample.use(account: "alice"))
            for account in ["bob", "Alice", "alice ", ""] {
                try await ledger.refuse(Sample.use(account: account), .keyOfAnotherAccount)
            }
            try await ledger.refuse(Sample.use(2, account: "alice"), .keyOfAnotherAccount)
            try await ledger.apply(Sample.use())
        },
        Case("the use of a key changes nothing of it, and is no second effect on it") { ledger in
            let key = Sample.key(counter: 5, account: "alice")
            try await ledger.apply(Sample.enrol(key))
            try await ledger.apply(Sample.use(), Sample.use(account: "alice"))
            try expectEqual(try await ledger.enrolledKey(key.identifier), key, "the key after its uses")
            try await ledger.apply(Sample.use(), Sample.advance(6), Sample.use(account: "alice"))
            try expectEqual(try await ledger.counter(), 6, "the counter")
            // Decided against the state before the commit.
            let codes = try await ledger.codes(Sample.enrol(Sample.key(2)), Sample.use(2))
            try expectEqual(codes, [nil, "key-unknown"], "an enrolment with the first use of its key")
        },
        Case("a refused use refuses the whole commit") { ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.apply(Sample.enrol(Sample.key(1)), Sample.enrol(Sample.key(2)))
            let codes = try await ledger.codes(
                Sample.use(3), Sample.consume(), Sample.remember(Sample.digest()), Sample.use(2))
            try expectEqual(codes, ["key-unknown", nil, nil, nil], "the refusals")
            try await ledger.apply(Sample.use(2), Sample.consume(), Sample.remember(Sample.digest()))
        },
        Case("racing uses of one key are all applied, and each digest with them once") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            let commits = (UInt8(0)..<32).map { [Sample.use(), Sample.remember(Sample.digest($0 / 2))] }
            let outcomes = try await race(ledger, commits)
            try expectEqual(outcomes.count { $0.isApplied }, 16, "applied commits")
            try expect(
                outcomes.allSatisfy { if case nil = $0.decisions[0] { true } else { false } }, "a use was refused")
        },
    ]
}
