import AssayCore
import FoundationEssentials

extension LedgerContract {
    /// Purging, and evidence whose digest the ledger may have purged. A ledger that never purges passes too.
    package static let purgingCases: [Case] = [
        Case("a purge deletes what ended an hour ago and nothing else, and a purged digest is not used again") {
            ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.apply(Sample.enrol(Sample.key()), Sample.remember(Sample.digest()))
            let early = Sample.later(300 + LedgerRules.retention - 0.5)
            try expectEqual(try await ledger.purge(at: early), 0, "purged entries before their time")
            let late = Sample.later(300 + LedgerRules.retention)
            let purged = try await ledger.purge(at: late)
            try expect(purged == 0 || purged == 2, "\(purged) entries were purged instead of 2")
            try expectEqual(try await ledger.entries().count, 3 - purged, "entries after a purge")
            try expect(try await ledger.codes(Sample.consume(), at: late) != [nil], "an expired challenge was consumed")
            try await requireRefused(ledger, Sample.digest(usedAt: late, lasting: 86_400), at: late)
        },
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
    private static func causePurges(_ ledger: any LedgerAdministration, at now: Date) async throws {
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
    private static func requireRefused(_ ledger: any LedgerAdministration, _ use: UsedDigest, at now: Date) async throws
    {
        var isApplied = false
        do {
            isApplied = try await ledger.commit([Sample.remember(use)], at: now).isApplied
        } catch {
            try expectEqual(error.code, .forgotten, "the outage of a ledger that has purged")
        }
        try expect(!isApplied, "what was used was used again")
    }

    private static func useOnce(_ ledger: any LedgerAdministration, _ use: UsedDigest, at now: Date) async throws {
        try await ledger.apply(Sample.remember(use), at: now)
        try await ledger.refuse(Sample.remember(use), .digestUsed(use.usedAt), at: now)
    }
}
