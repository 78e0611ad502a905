import AssayCore
import FoundationEssentials

extension LedgerContract {
    /// A purge on request.
    static let purgingCases: [AdministrationCase] = [
        AdministrationCase("a purge deletes what ended an hour ago and nothing else, and returns the number") {
            ledger in
            let late = Sample.later(300 + LedgerRules.retention)
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.issue(Sample.challenge(2), at: Sample.now)
            try await ledger.apply(
                Sample.enrol(Sample.key()), Sample.consume(2), Sample.remember(Sample.digest()))
            let ended = try await ledger.entries().filter { if case .key = $0 { false } else { true } }
            try await ledger.issue(Sample.challenge(3, expiresIn: 300.5), at: Sample.now)
            try await ledger.apply(Sample.remember(Sample.digest(2, lasting: 300.5)))
            // What ended longer ago, and is no challenge and no digest.
            try await ledger.block(Sample.block(LedgerSubject(.account, "alice"), until: Sample.later(1)))
            try await ledger.allow(Sample.allowance(LedgerSubject(.device, "d1"), until: Sample.later(1)))
            let stored = Sample.operator("alice", lasting: 1)
            try expectEqual(try await ledger.addOperator(stored, tokenHash: Sample.bytes(1)), nil, "a new operator")
            let isStored = try await ledger.store([1], named: "devices", replacing: 0, at: Sample.now)
            let isPut = try await ledger.putTask(
                [1], in: "work", dueAt: Sample.now, bytes: [2], replacing: 0, at: Sample.now)
            try expect(isStored && isPut, "a new document or task was not stored")
            let (before, trail) = (try await ledger.entries(), try await ledger.trail())
            try expectEqual(
                try await ledger.purge(at: late.addingTimeInterval(-0.5)), 0, "purged entries before their time")
            try expectEqual(try await ledger.entries(), before, "the ledger after a purge before the time")
            try expectEqual(try await ledger.purge(at: late), 3, "purged entries")
            try expectEqual(
                try await ledger.entries(), before.filter { !ended.contains($0) }, "the ledger after a purge")
            try expectEqual(try await ledger.trail(), trail, "the audit trail after a purge")
            try expectEqual(try await ledger.purge(at: late), 0, "purged entries of a second purge")
            for seed: UInt8 in [1, 2] {
                let codes = try await ledger.codes(Sample.consume(seed), at: late)
                try expect(codes != [nil], "an expired challenge was consumed")
            }
            try await requireRefused(ledger, Sample.digest(usedAt: late, lasting: 86_400), at: late)
            let kept = LedgerRefusal.digestUsed(Sample.now)
            try await ledger.refuse(Sample.remember(Sample.digest(2, usedAt: late, lasting: 86_400)), kept, at: late)
        }
    ]

    /// Evidence whose digest the ledger may have purged. A ledger that never purges passes too.
    static let forgettingCases: [Case] = [
        Case("a digest that may have been purged is not used again when the clock steps back") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            try await causePurges(ledger, at: Sample.later(365 * 86_400))
            let back = Sample.later(100)
            try await requireRefused(ledger, Sample.digest(usedAt: back), at: back)
            // The ledger judges a token that is newer than all purged ones.
            try await useOnce(ledger, Sample.digest(2, madeAt: back, usedAt: back), at: back)
        },
        Case("a digest that may have been purged is not used again when its window is lengthened") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            let late = Sample.later(10_000)
            try await causePurges(ledger, at: late)
            try await requireRefused(ledger, Sample.digest(usedAt: late, lasting: 86_400), at: late)
            try await requireRefused(ledger, Sample.digest(usedAt: late, lasting: 864_000), at: late)
        },
        Case("what was made later than all purged digests is judged under a longer window") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            let late = Sample.later(10_000)
            try await causePurges(ledger, at: late)
            let use = Sample.digest(2, madeAt: Sample.later(100), usedAt: late, lasting: 86_400)
            try await useOnce(ledger, use, at: late)
        },
        Case("purged digests of a short window do not lock out an app or kind with a long one") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            let late = Sample.later(10_000)
            try await causePurges(ledger, at: late)
            let other = Sample.digest(2, app: "other", madeAt: Sample.later(-100), usedAt: late, lasting: 86_400)
            try await useOnce(ledger, other, at: late)
            let kind = EvidenceKind("approov.message")
            let otherKind = Sample.digest(3, kind: kind, madeAt: Sample.later(-100), usedAt: late, lasting: 86_400)
            try await useOnce(ledger, otherKind, at: late)
        },
    ]

    /// Writes that cause a ledger to purge entries that ended before a time.
    private static func causePurges(_ ledger: any Ledger, at now: Date) async throws {
        let traffic = (UInt16(0)..<5000).map { number in
            [
                Sample.remember(
                    UsedDigest(
                        digest: [UInt8(number >> 8), UInt8(number & 255)], app: Sample.app, kind: Sample.kind,
                        madeAt: now, usedAt: now, until: now + 300))
            ]
        }
        let outcomes = try await race(ledger, traffic, at: now)
        try expect(outcomes.allSatisfy(\.isApplied), "what was never used was refused")
    }

    /// Presents a used digest that the ledger may have purged.
    private static func requireRefused(_ ledger: any Ledger, _ use: UsedDigest, at now: Date) async throws {
        var isApplied = false
        do {
            isApplied = try await ledger.commit([Sample.remember(use)], at: now).isApplied
        } catch {
            try expectEqual(error.code, .forgotten, "the outage of a ledger that has purged")
        }
        try expect(!isApplied, "what was used was used again")
    }

    private static func useOnce(_ ledger: any Ledger, _ use: UsedDigest, at now: Date) async throws {
        try await ledger.apply(Sample.remember(use), at: now)
        try await ledger.refuse(Sample.remember(use), .digestUsed(use.usedAt), at: now)
    }
}
