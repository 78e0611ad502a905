import AssayCore
import FoundationEssentials

extension LedgerContract {
    /// The quarantine of a restored ledger.
    static let quarantineCases: [AdministrationCase] = [
        AdministrationCase("in quarantine, only evidence with a new challenge is judged, until the end") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()), Sample.enrol(Sample.key(2)))
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try expectEqual(try await ledger.quarantineEnd(), nil, "the quarantine of a new ledger")
            let end = Sample.later(100)
            try await ledger.quarantine(until: end, by: "ops", at: Sample.now)
            try expectEqual(try await ledger.quarantineEnd(), end, "the end of the quarantine")
            for effect in [
                Sample.advance(1), Sample.remember(Sample.digest()), Sample.enrol(Sample.key(3)),
            ] {
                try await expectQuarantine(ledger, [effect], at: Sample.now)
                try await expectQuarantine(ledger, [effect], at: Sample.later(99))
            }
            // The challenge was issued before, and may have been consumed after the backup.
            let codes = try await ledger.codes(Sample.consume())
            try expect(codes != [nil], "a challenge from before the quarantine was consumed")
            try await ledger.issue(Sample.challenge(2), at: Sample.now)
            try await ledger.apply(Sample.consume(2), Sample.advance(1), Sample.remember(Sample.digest()))
            try await ledger.apply(Sample.remember(Sample.digest(2)), at: end)
            try await ledger.apply(Sample.advance(2), at: end)
        },
        AdministrationCase("a quarantine is in the audit trail, and ends early by hand") { ledger in
            try await ledger.quarantine(until: Sample.later(100), by: "ops", at: Sample.now)
            try await ledger.quarantine(until: Sample.later(1), by: "eve", at: Sample.later(1))
            try await ledger.apply(Sample.enrol(Sample.key()), at: Sample.later(1))
            var changes: [LedgerChange] = []
            try await ledger.audit { changes.append($0.change) }
            try expectEqual(changes.map(\.action), [.quarantine, .quarantine], "the actions of the trail")
            try expectEqual(changes.map(\.operatorName), ["ops", "eve"], "the operators of the trail")
            try expect(changes.last?.detail == "ended", "the detail of an end: \(changes.last?.detail ?? "")")
        },
        AdministrationCase("a proof of writability changes nothing") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            let before = try await ledger.entries()
            try await ledger.proveWritable(at: Sample.now)
            try await ledger.proveWritable(at: Sample.later(3600))
            try expectEqual(try await ledger.entries(), before, "the ledger after proofs")
            try expectEqual(try await ledger.settingProblems(), [], "the settings at risk")
        },
    ]

    private static func expectQuarantine(
        _ ledger: any LedgerAdministration, _ effects: [LedgerEffect], at now: Date
    ) async throws {
        do throws(LedgerOutage) {
            _ = try await ledger.commit(effects, at: now)
        } catch {
            return try expectEqual(error.code, .quarantine, "the outage of a ledger in quarantine")
        }
        try expect(false, "a ledger in quarantine decided evidence without a challenge")
    }
}
