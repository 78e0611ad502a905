import AssayCore

extension LedgerContract {
    static let refreshCases: [Case] = [
        Case("a new key is enrolled by a refresh too") { ledger in
            let outcome = try await ledger.commit([Sample.refresh(Sample.key())], at: Sample.now)
            try expect(outcome.isApplied && outcome.enrolment == nil, "a new key counts as refreshed")
            try expectEqual(try await ledger.enrolledKey(Sample.identifier()), Sample.key(), "the enrolled key")
        },
        Case("a refresh replaces the properties of a key, and nothing else") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(counter: 5)))
            let properties = ["appID": "1234567890.com.example.shop", "osVersion": "27.1"]
            let again = Sample.key(counter: 0, enrolledAt: Sample.later(60), properties: properties)
            let outcome = try await ledger.commit([Sample.refresh(again)], at: Sample.later(60))
            try expect(outcome.isApplied, "a refresh that nothing speaks against")
            try expectEqual(outcome.enrolment, .refreshed(Sample.now), "the time of the enrolment")
            try expectEqual(
                try await ledger.enrolledKey(Sample.identifier()), Sample.key(counter: 5, properties: properties),
                "the refreshed key")
            try await ledger.refuse(Sample.advance(5), .counterNotIncreasing(presented: 5, stored: 5))
            try await ledger.apply(Sample.advance(6))
        },
        Case("a refresh changes neither app nor key nor what it must keep") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            try await ledger.refuse(Sample.refresh(Sample.key(app: "other")), .keyOfAnotherApp(Sample.app))
            try await ledger.refuse(
                Sample.refresh(Sample.key(properties: ["appID": "1234567890.com.example.other"])),
                .keyPropertyDiffers("appID"))
            try await ledger.refuse(Sample.refresh(Sample.key(properties: [:])), .keyPropertyDiffers("appID"))
            let other = EnrolledKey(
                identifier: Sample.identifier(), app: Sample.app, publicKey: [4] + Sample.bytes(9, count: 64),
                counter: 0,
                enrolledAt: Sample.now, properties: Sample.key().properties)
            try await ledger.refuse(Sample.refresh(other), .keyPropertyDiffers("public key"))
            try expectEqual(try await ledger.enrolledKey(Sample.identifier()), Sample.key(), "the key after refusals")
        },
        Case("a refresh binds a key without an account, and never changes the account") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            try await ledger.apply(Sample.refresh(Sample.key(account: "alice")))
            try await ledger.apply(Sample.refresh(Sample.key()))
            try expectEqual(try await ledger.enrolledKey(Sample.identifier())?.account, "alice", "the account")
            try await ledger.refuse(Sample.refresh(Sample.key(account: "bob")), .keyOfAnotherAccount)
            try expectEqual(try await ledger.enrolledKey(Sample.identifier())?.account, "alice", "the account")
        },
        Case("racing refreshes and counters: all are applied, and the counter is not lowered") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for counter in UInt32(1)...10 {
                let refreshes = (0..<8).map { index in
                    Sample.refresh(
                        Sample.key(properties: ["appID": "1234567890.com.example.shop", "osVersion": "27.\(index)"]))
                }
                let outcomes = try await race(ledger, refreshes.map { [$0] } + [[Sample.advance(counter)]])
                try expect(outcomes.allSatisfy(\.isApplied), "refreshes and an advance do not exclude each other")
                try expectEqual(try await ledger.counter(), counter, "the counter after a race with refreshes")
            }
        },
    ]

    static let windowCases: [Case] = [
        Case("a window accepts each counter once, in any order, and none too far behind") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            func window(_ counter: UInt32) -> LedgerEffect { Sample.advance(counter, rule: .window(8)) }
            for counter: UInt32 in [5, 3, 10, 4, 2] { try await ledger.apply(window(counter)) }
            try expectEqual(try await ledger.counter(), 10, "the greatest counter")
            for used: UInt32 in [2, 3, 4, 5, 10] {
                try await ledger.refuse(window(used), .counterUsed(presented: used, stored: 10))
            }
            try await ledger.refuse(window(1), .counterBehindWindow(presented: 1, stored: 10, window: 8))
            for counter: UInt32 in [9, 6, 8, 7] { try await ledger.apply(window(counter)) }
            try await ledger.refuse(window(7), .counterUsed(presented: 7, stored: 10))
            try await ledger.refuse(window(0), .counterBehindWindow(presented: 0, stored: 10, window: 8))
        },
        Case("the attested counter is used, and a window ends at the last counter") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            try await ledger.refuse(
                Sample.advance(0, rule: .window(4)), .counterUsed(presented: 0, stored: 0))
            try await ledger.apply(Sample.advance(.max, rule: .window(4)))
            for counter: UInt32 in [.max - 4, .max - 1] {
                try await ledger.apply(Sample.advance(counter, rule: .window(4)))
            }
            try await ledger.refuse(
                Sample.advance(.max - 5, rule: .window(4)),
                .counterBehindWindow(presented: .max - 5, stored: .max, window: 4))
            try await ledger.refuse(
                Sample.advance(.max, rule: .window(4)), .counterUsed(presented: .max, stored: .max))
            try expectEqual(try await ledger.counter(), .max, "the greatest counter")
        },
        Case("what was smaller under another rule, or outside of a smaller window, stays refused") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            try await ledger.apply(Sample.advance(100))
            try await ledger.refuse(
                Sample.advance(99, rule: .window(64)), .counterUsed(presented: 99, stored: 100))
            try await ledger.apply(Sample.advance(150, rule: .window(64)))
            // A smaller window discards counters beyond its reach, also for a larger window later.
            try await ledger.apply(Sample.advance(152, rule: .window(4)))
            for counter: UInt32 in [140, 147] {
                try await ledger.refuse(
                    Sample.advance(counter, rule: .window(64)), .counterUsed(presented: counter, stored: 152))
            }
            try await ledger.apply(Sample.advance(149, rule: .window(64)))
            // A rule without a window discards all skipped counters.
            try await ledger.apply(Sample.advance(153))
            for counter: UInt32 in [148, 151] {
                try await ledger.refuse(
                    Sample.advance(counter, rule: .window(64)), .counterUsed(presented: counter, stored: 153))
            }
        },
        Case("the largest window reaches 1,024 counters back") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            try await ledger.apply(Sample.advance(2000, rule: .window(CounterState.maximumWindow)))
            try await ledger.apply(Sample.advance(976, rule: .window(CounterState.maximumWindow)))
            try await ledger.refuse(
                Sample.advance(975, rule: .window(CounterState.maximumWindow)),
                .counterBehindWindow(presented: 975, stored: 2000, window: CounterState.maximumWindow))
            try await ledger.refuse(
                Sample.advance(976, rule: .window(CounterState.maximumWindow)),
                .counterUsed(presented: 976, stored: 2000))
        },
        Case("of racing writers in a window each counter wins exactly once") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for round in UInt32(0)..<10 {
                // 16 counters, three times each, in a fixed shuffle.
                let presented = (UInt32(0)..<48).map { round * 16 + 1 + ($0 * 7) % 16 }
                let outcomes = try await race(
                    ledger, presented.map { [Sample.advance($0, rule: .window(16))] })
                let applied = zip(presented, outcomes).filter { $0.1.isApplied }.map(\.0).sorted()
                try expectEqual(applied, Array(round * 16 + 1...round * 16 + 16), "the counters that were applied")
            }
            try expectEqual(try await ledger.counter(), 160, "the greatest counter")
        },
    ]
}
