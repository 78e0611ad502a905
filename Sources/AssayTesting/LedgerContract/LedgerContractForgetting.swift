import AssayCore
import FoundationEssentials

extension LedgerContract {
    /// What a ledger may forget, and what becomes of evidence then. One that forgets nothing keeps these as well.
    package static let forgettingCases: [Case] = [
        Case("a digest that may have been forgotten is not used again when the clock steps back") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            try await haveForgotten(ledger, at: Sample.later(365 * 86_400))
            let back = Sample.later(100)
            try await demandUnused(ledger, Sample.digest(usedAt: back), at: back)
            // What is younger than everything that can have been forgotten is judged.
            try await useOnce(ledger, Sample.digest(2, madeAt: back, usedAt: back), at: back)
        },
        Case("a digest that may have been forgotten is not used again when its window is lengthened") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            let late = Sample.later(10_000)
            try await haveForgotten(ledger, at: late)
            try await demandUnused(ledger, Sample.digest(usedAt: late, lasting: 86_400), at: late)
            try await demandUnused(ledger, Sample.digest(usedAt: late, lasting: 864_000), at: late)
        },
        Case("what was made later than all that can have been forgotten is judged under a longer window") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            let late = Sample.later(10_000)
            try await haveForgotten(ledger, at: late)
            let use = Sample.digest(2, madeAt: Sample.later(100), usedAt: late, lasting: 86_400)
            try await useOnce(ledger, use, at: late)
        },
        Case("what is forgotten of a short window locks out nobody whose window is long") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            let late = Sample.later(10_000)
            try await haveForgotten(ledger, at: late)
            let other = Sample.digest(2, app: "other", madeAt: Sample.later(-100), usedAt: late, lasting: 86_400)
            try await useOnce(ledger, other, at: late)
            let kind = EvidenceKind("approov.message")
            let otherKind = Sample.digest(3, kind: kind, madeAt: Sample.later(-100), usedAt: late, lasting: 86_400)
            try await useOnce(ledger, otherKind, at: late)
        },
    ]

    /// Traffic that makes a ledger forget what has ended by a time.
    private static func haveForgotten(_ ledger: any Ledger, at now: Date) async throws {
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

    /// Presents what was used, which may be forgotten.
    private static func demandUnused(_ ledger: any Ledger, _ use: UsedDigest, at now: Date) async throws {
        var isApplied = false
        do {
            isApplied = try await ledger.commit([Sample.remember(use)], at: now).isApplied
        } catch {
            // It is forgotten whether it was used, and the ledger says so.
            try expectEqual(error.code, .forgotten, "the outage of a ledger that has forgotten")
        }
        try expect(!isApplied, "what was used was used again")
    }

    private static func useOnce(_ ledger: any Ledger, _ use: UsedDigest, at now: Date) async throws {
        try await ledger.apply(Sample.remember(use), at: now)
        try await ledger.refuse(Sample.remember(use), .digestUsed(use.usedAt), at: now)
    }
}
