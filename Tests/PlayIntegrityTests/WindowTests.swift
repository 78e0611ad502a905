import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity
import Testing

/// The freshness window includes both ends, to the millisecond, and no arithmetic overflows.
@Suite("Play Integrity freshness")
struct WindowTests {
    private func verdict(madeAt milliseconds: Int64, at now: Date) async throws -> Verdict {
        var payload = Fixtures.android
        payload["requestDetails.timestampMillis"] = .text("\(milliseconds)")
        let freshness = PlayIntegrityConfiguration.Freshness(past: 90, future: 5)
        return try await Fixtures.verifier(Fixtures.configuration(freshness: freshness)).verify(
            Fixtures.classic(payload), at: now)
    }

    @Test(
        "Both ends are included, and the millisecond beyond each is not",
        arguments: [
            (0, true), (90_000, true), (90_001, false), (89_999, true), (-5000, true), (-5001, false), (-4999, true),
        ] as [(Int64, Bool)])
    func ends(age: Int64, isFresh: Bool) async throws {
        for millisecond: Int64 in [0, 1, 153, 500, 999] {
            let madeAt = Fixtures.milliseconds + millisecond
            let now = Date(timeIntervalSince1970: Double(madeAt + age) / 1000)
            let verdict = try await verdict(madeAt: madeAt, at: now)
            #expect(verdict.failed == (isFresh ? [] : [CheckID.playIntegrityFreshness]), "\(millisecond)")
        }
    }

    @Test("The time of judgement, as records and verdicts write it, gives the same ends")
    func writtenTimes() async throws {
        for (text, isFresh) in [
            ("2026-09-21T14:14:50.153Z", true), ("2026-09-21T14:14:50.154Z", false), ("2026-09-21T14:13:15.153Z", true),
            ("2026-09-21T14:13:15.152Z", false),
        ] {
            let now = try #require(RFC3339.parse(text))
            let verdict = try await verdict(madeAt: Fixtures.milliseconds + 153, at: now)
            #expect(verdict.failed == (isFresh ? [] : [CheckID.playIntegrityFreshness]), "\(text)")
            #expect(RFC3339.format(verdict.judgedAt) == text)
        }
    }

    @Test("Times at the limits of representation are judged without overflow")
    func extremes() async throws {
        for now in [-1e300, -9.3e15, 0, 9.3e15, 1e300] {
            for madeAt in [0, 1, Int64.max] {
                let verdict = try await verdict(madeAt: madeAt, at: Date(timeIntervalSince1970: now))
                let isFresh = now == 0 && madeAt < 2
                #expect(verdict.failed == (isFresh ? [] : [CheckID.playIntegrityFreshness]), "\(now) \(madeAt)")
            }
        }
    }

    @Test("The time of a PC payload is read to the millisecond")
    func requestTime() async throws {
        for (text, isFresh) in [
            ("2026-09-21T14:08:20Z", true), ("2026-09-21T14:08:20.000Z", true), ("2026-09-21T14:08:19.999Z", false),
            ("2026-09-21T14:14:20.000000000Z", true), ("2026-09-21T14:14:20.001Z", false),
            ("2026-09-21T16:13:20+02:00", true), ("0001-01-01T00:00:00Z", false), ("9999-12-31T23:59:59Z", false),
        ] {
            var payload = Fixtures.pc
            payload["requestDetails.requestTime"] = .text(text)
            let verdict = try await Fixtures.verifier(Fixtures.configuration(android: nil))
                .verify(Fixtures.answer(payload), at: Fixtures.now)
            #expect(verdict.failed == (isFresh ? [] : [CheckID.playIntegrityFreshness]), "\(text)")
        }
    }
}
