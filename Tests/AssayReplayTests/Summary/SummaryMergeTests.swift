import Assay
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The summary of a corpus does not depend on how it was divided, nor on the order of its parts.
@Suite("Merging summaries")
struct SummaryMergeTests {
    @Test("Parts merged in any grouping and order are byte for byte the whole", arguments: 1...2 as ClosedRange<UInt64>)
    func partitions(seed: UInt64) async throws {
        // More records, versions, minutes and reasons than are kept one by one.
        let records = try await ReplaySamples.corpus(6000, seed: seed, isComparison: seed.isMultiple(of: 2))
        let whole = ReplaySummary(records).json()
        var random = SeededGenerator(seed: seed)
        #expect(ReplaySummary(records.shuffled(using: &random)).json() == whole)
        for count in [2, 3, 17] {
            var parts = Array(repeating: [ReplayedRecord](), count: count)
            for record in records { parts[Int.random(in: 0..<count, using: &random)].append(record) }
            var summaries = parts.map { ReplaySummary($0) }
            // Pairs at random, until one is left.
            while summaries.count > 1 {
                summaries.shuffle(using: &random)
                let last = summaries.removeLast()
                // As it is, or written and read again, as between machines.
                let other = Bool.random(using: &random) ? last : try ReplaySummary(json: Array(last.json().utf8)[...])
                summaries[0].merge(other)
            }
            #expect(summaries.first?.json() == whole)
        }
    }

    @Test("Merging with nothing changes nothing, from either side")
    func nothing() async throws {
        let summary = ReplaySummary(try await ReplaySamples.corpus(100, seed: 9))
        var left = summary
        left.merge(ReplaySummary())
        var right = ReplaySummary()
        right.merge(summary)
        #expect(left.json() == summary.json())
        #expect(right.json() == summary.json())
    }

    @Test("Times of all ages come to the same intervals in any order")
    func ages() async throws {
        let verdict = try await ReplaySamples.verdict(checks: ReplaySamples.checks())
        let seconds = [-62_167_219_200, 253_402_300_799, .nan, .infinity, -.infinity, -1, 0, 59.9996, 1e300]
        let far = (0..<5000).map { Double($0) * 50_000_000 - 62_000_000_000 }
        let records = (seconds + far).enumerated().map { number, second in
            ReplaySamples.record(.verdict(verdict), line: number, receivedAt: Date(timeIntervalSince1970: second))
        }
        let whole = ReplaySummary(records)
        var parts = ReplaySummary(records.reversed().prefix(2500))
        parts.merge(ReplaySummary(records.prefix(records.count - 2500)))
        #expect(parts.json() == whole.json())
        #expect(whole.first?.description == "0000-01-01T00:00:00Z")
        #expect(whole.last?.description == "9999-12-31T23:59:59.999Z")
        #expect(try ReplaySummary(json: Array(whole.json().utf8)[...]).json() == whole.json())
    }

    @Test("The lines of the whole place the records of a part, whatever number they have in it")
    func numbers() async throws {
        let verdict = try await ReplaySamples.verdict(checks: ReplaySamples.checks())
        let whole = ReplaySummary([ReplaySamples.record(.verdict(verdict), line: 19, number: 19)])
        let part = ReplaySummary([ReplaySamples.record(.verdict(verdict), line: 19, number: 12)])
        #expect(part.json() == whole.json())
    }

    @Test("Notes add up")
    func notes() {
        var one = ReplaySummary()
        one.note("challenges presumed", count: 2)
        var other = ReplaySummary()
        other.note("challenges presumed", count: 3)
        other.note("never", count: 0)
        one.merge(other)
        #expect(one.noteCounts.map(\.text) == ["challenges presumed"])
        #expect(one.noteCounts.map(\.count) == [5])
    }
}
