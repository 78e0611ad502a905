import AssayCore
import FoundationEssentials

extension LedgerContract {
    /// The limit of an account's keys.
    static let limitCases: [Case] = [
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
            for (seed, time) in [(1, later), (2, nil), (3, nil)] as [(UInt8, Date?)] {
                let key = try await ledger.enrolledKey(Sample.identifier(seed))
                try expectEqual(key?.retiredAt, time, "the time of retirement of key \(seed)")
            }
            try await ledger.refuse(Sample.advance(1, seed: 1), .keyRetired(later))
            try await ledger.refuse(limited(1, .retireOldest), .keyRetired(later))
            try await ledger.apply(Sample.advance(1, seed: 2), Sample.advance(1, seed: 3))
            try expectEqual(try await ledger.counter(1), 0, "the counter of a retired key")
        },
        Case("of keys that race for the last place of an account one is enrolled") { ledger in
            try await ledger.apply(limited(1, .refuse))
            let seeds: [UInt8] = [2, 3, 4, 5, 6, 7]
            let outcomes = try await race(ledger, seeds.map { [limited($0, .refuse)] })
            try expectEqual(outcomes.count(where: \.isApplied), 1, "the keys that were enrolled")
            for (seed, outcome) in zip(seeds, outcomes) {
                let isEnrolled = try await ledger.enrolledKey(Sample.identifier(seed)) != nil
                try expectEqual(isEnrolled, outcome.isApplied, "whether key \(seed) is enrolled")
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
