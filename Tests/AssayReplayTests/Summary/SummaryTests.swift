import Assay
import AssayCore
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The counts of a summary, and their limits for hostile corpora.
@Suite("Summaries of replays")
struct SummaryTests {
    private static let failing = "app-attest.assertion.counter"

    private func rejected(_ check: String = failing) async throws -> ReplayedRecord.Judgement {
        .verdict(try await ReplaySamples.verdict(checks: ReplaySamples.checks(failing: check)))
    }

    private func accepted(_ subject: SampleSubject? = nil) async throws -> ReplayedRecord.Judgement {
        .verdict(try await ReplaySamples.verdict(checks: ReplaySamples.checks(), subject: subject))
    }

    @Test("Outcomes, first failed checks, failures and mismatches are counted")
    func counts() async throws {
        let noted = try await ReplaySamples.verdict(
            checks: ReplaySamples.checks(annotating: "app-attest.assertion.bundle-version"))
        let summary = ReplaySummary([
            ReplaySamples.record(try await accepted(), line: 1, expect: .init(outcome: .reject, failed: [])),
            ReplaySamples.record(try await rejected(), line: 2, expect: .init(outcome: .reject, failed: ["*"])),
            ReplaySamples.record(try await rejected(), line: 3),
            ReplaySamples.record(.verdict(noted), line: 4),
            ReplaySamples.record(.failure(ReplayFailure("unreadable", "byte 1: no")), line: 5, receivedAt: nil),
        ])
        #expect(summary.sentence == "5 records: 2 accepted, 2 rejected, 1 not judged")
        #expect(summary.mismatches == 1)
        #expect(summary.annotated == 1)
        let tallies = summary.checkTallies
        #expect(tallies.map(\.check) == [Self.failing, "app-attest.assertion.bundle-version"])
        #expect(tallies.map(\.tally.first) == [2, 0])
        #expect(tallies.map(\.tally.annotated) == [0, 1])
        #expect(summary.failureCounts.map(\.code) == ["unreadable"])
        #expect(summary.examples[Self.failing]?.line == 2)
        #expect(summary.examples["unreadable"]?.line == 5)
        // Mismatches first, then rejections, then records without a verdict.
        #expect(summary.rows.map(\.line) == [1, 2, 3, 5, 4])
    }

    @Test("A comparison counts the records with another outcome, by check and by version")
    func comparison() async throws {
        let subject = SampleSubject(fields: [
            SubjectField("bundleVersion", .text("7")), SubjectField("keyId", .text("k")),
        ])
        let summary = ReplaySummary([
            ReplaySamples.record(try await accepted(subject), against: try await rejected(), line: 1),
            ReplaySamples.record(try await rejected(), against: try await accepted(subject), line: 2),
            ReplaySamples.record(try await accepted(subject), against: try await accepted(), line: 3),
            ReplaySamples.record(
                try await rejected(), against: .failure(ReplayFailure("unknown-app", "no such app")), line: 4),
        ])
        #expect(summary.outcomes.lost == 1)
        #expect(summary.outcomes.gained == 1)
        #expect(summary.outcomesAgainst?.accepted == 2)
        #expect(summary.outcomesAgainst?.failed == 1)
        #expect(summary.flowCounts.count == 4)
        let lost = try #require(
            summary.flowCounts.map(\.flow).first { $0.from.outcome == .accepted && $0.to.outcome == .rejected })
        #expect(lost.to.reason == Self.failing)
        let versions = try #require(summary.breakdowns.first { $0.name == "bundleVersion" })
        #expect(versions.values.map(\.value) == ["7"])
        #expect(versions.values.first?.tally.lost == 1)
        #expect(!summary.breakdowns.contains { $0.name == "keyId" })
        #expect(summary.rows.map(\.line).prefix(2) == [1, 2])
    }

    @Test("A rare reason is shown even if a frequent one fills the table")
    func rareReason() async throws {
        var summary = ReplaySummary()
        let frequent = try await rejected()
        for line in 1...3000 { summary.add(ReplaySamples.record(frequent, line: line)) }
        summary.add(
            ReplaySamples.record(
                try await rejected("app-attest.assertion.signature"), line: 9999,
                receivedAt: ReplaySamples.time.addingTimeInterval(1e6)))
        summary.add(ReplaySamples.record(try await accepted(), line: 10_000))
        #expect(summary.rows.count == 2002)
        #expect(summary.rows.map(\.line).contains(9999))
        #expect(summary.rows.map(\.line).contains(10_000))
    }

    @Test("The summary is bounded for every corpus")
    func bounds() async throws {
        var summary = ReplaySummary()
        let long = String(repeating: "\u{1B}<script>\u{202E}\u{301}", count: 300)
        for number in 0..<5000 {
            let subject = SampleSubject(
                fields: [SubjectField("bundleVersion", .text("\(number) \(long)"))]
                    + (0..<100).map { SubjectField("field\($0)", .text(long)) })
            let verdict = try await ReplaySamples.verdict(
                checks: ReplaySamples.checks(failing: Self.failing, detail: long), subject: subject)
            summary.add(
                ReplaySamples.record(
                    .verdict(verdict), id: "\(number) \(long)", line: number,
                    receivedAt: ReplaySamples.time.addingTimeInterval(Double(number) * 3600)))
            summary.add(ReplaySamples.record(.failure(ReplayFailure("unreadable", long)), line: number))
        }
        let versions = try #require(summary.breakdowns.first { $0.name == "bundleVersion" })
        #expect(versions.values.count == 1000)
        #expect(versions.total.total == 5000)
        #expect(versions.others.total == 4000)
        #expect(summary.rows.count == 2020)
        let html = ReplayReport(summary).html()
        #expect(html.utf8.count < 64 * 1024 * 1024)
        #expect(!html.unicodeScalars.contains("\u{1B}"))
    }

    @Test("Any time, also an invalid one, is limited to the years 0000 to 9999")
    func ages() async throws {
        let verdict = try await ReplaySamples.verdict(checks: ReplaySamples.checks())
        let seconds = [-62_167_219_200, 253_402_300_799, .nan, .infinity, -.infinity, -1, 0, 59.9996, 1e300]
        let far = (0..<5000).map { Double($0) * 50_000_000 - 62_000_000_000 }
        let summary = ReplaySummary(
            (seconds + far).enumerated().map { number, second in
                ReplaySamples.record(
                    .verdict(verdict), line: number, receivedAt: Date(timeIntervalSince1970: second))
            })
        #expect(summary.first?.description == "0000-01-01T00:00:00Z")
        #expect(summary.last?.description == "9999-12-31T23:59:59.999Z")
        #expect(ReplayReport(summary).html().contains("Outcome over time"))
    }

    @Test("Notes with a count of zero are left out")
    func notes() {
        var summary = ReplaySummary()
        summary.note("challenges presumed", count: 2)
        summary.note("never", count: 0)
        #expect(summary.notes.map(\.text) == ["challenges presumed"])
        #expect(summary.notes.map(\.count) == [2])
    }

    @Test("Percentiles are at most an eighth too great, and the extremes are exact")
    func percentiles() {
        var histogram = LogHistogram()
        #expect(histogram.percentile(permille: 500) == nil)
        for value in 1...1000 { histogram.add(value) }
        for permille in [1, 10, 100, 500, 900, 990, 999] {
            let value = histogram.percentile(permille: permille) ?? 0
            #expect(value >= permille && value <= permille * 9 / 8 + 1, "\(permille): \(value)")
        }
        #expect(histogram.percentile(permille: 1000) == 1000)
        histogram.add(-5)
        #expect(histogram.negative == 1)
        #expect(histogram.least == 1)
        #expect(histogram.count == 1001)
    }

    @Test("Every value is in its interval, and the intervals have no gap")
    func intervals() {
        var end = 0
        for value in (0..<5000).map({ $0 }) + (12..<53).flatMap({ [1 << $0 - 1, 1 << $0, 1 << $0 + 1] }) {
            var histogram = LogHistogram()
            histogram.add(value)
            let values = histogram.intervals.first?.values ?? 0..<0
            #expect(values.contains(value))
            if value < 5000, value >= end {
                #expect(values.lowerBound == end)
                end = values.upperBound
            }
        }
    }
}
