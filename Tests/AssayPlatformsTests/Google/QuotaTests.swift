import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct QuotaTests {
    /// 2026-04-21T18:00:00Z, 11 in the morning in California.
    private static let noon = Date(timeIntervalSince1970: 1_776_794_400)

    @Test("every request counts, those that are tried again and those that Google refuses too")
    func counts() async throws {
        try await TestClient.run { test in
            test.google.script(.answer(503, ""), .answer(429, ""))
            _ = try await test.decode()
            _ = try await test.client.decode(token: TestClient.token, packageName: "com.example.other", form: .pc)
            let usage = test.client.usage(of: TestClient.package)
            #expect(usage.decodes == 3)
            #expect(usage.refused == 1)
            #expect(usage.writes == 0)
            #expect(usage.limit == nil)
            #expect(test.client.usage(of: "com.example.other").decodes == 1)
            #expect(test.client.usage(of: "com.example.none").decodes == 0)
        }
    }

    struct Day: Sendable, CustomTestStringConvertible {
        let at: String
        let day: String
        let end: String
        var testDescription: String { at }
    }

    @Test(
        "a day ends at midnight in California, also when clocks change there",
        arguments: [
            Day(at: "2026-04-21T06:59:59Z", day: "2026-04-20", end: "2026-04-21T07:00:00Z"),
            Day(at: "2026-04-21T07:00:00Z", day: "2026-04-21", end: "2026-04-22T07:00:00Z"),
            Day(at: "2026-12-31T07:59:59Z", day: "2026-12-30", end: "2026-12-31T08:00:00Z"),
            Day(at: "2026-03-08T09:00:00Z", day: "2026-03-08", end: "2026-03-09T07:00:00Z"),
            Day(at: "2026-03-09T06:59:59Z", day: "2026-03-08", end: "2026-03-09T07:00:00Z"),
            Day(at: "2026-11-01T08:00:00Z", day: "2026-11-01", end: "2026-11-02T08:00:00Z"),
            Day(at: "2026-11-02T07:30:00Z", day: "2026-11-01", end: "2026-11-02T08:00:00Z"),
        ])
    func days(_ day: Day) async throws {
        let format = Date.ISO8601FormatStyle()
        try await TestClient.run(at: format.parse(day.at)) { test in
            let usage = test.client.usage(of: TestClient.package)
            #expect(usage.day == day.day)
            let end = try format.parse(day.end)
            #expect(usage.end == end)
        }
    }

    @Test("counts begin anew with the day")
    func newDay() async throws {
        try await TestClient.run(at: QuotaTests.noon) { test in
            _ = try await test.decode()
            test.time.pass(.seconds(13 * 3600 - 1))
            _ = try await test.decode()
            #expect(test.client.usage(of: TestClient.package).decodes == 2)
            test.time.pass(.seconds(1))
            #expect(test.client.usage(of: TestClient.package).decodes == 0)
        }
    }

    @Test("an own limit refuses before Google does, for one app and until the day ends")
    func limit() async throws {
        try await TestClient.run(at: QuotaTests.noon, settings: { $0.dailyLimit = 2 }) { test in
            for _ in 0..<2 { #expect(await test.outage() == nil) }
            let outage = await test.outage()
            #expect(outage?.code == .quota)
            #expect(outage?.retryAt == QuotaTests.noon.addingTimeInterval(13 * 3600))
            #expect(test.google.apiRequests.count == 2)
            _ = try await test.client.decode(token: TestClient.token, packageName: "com.example.other", form: .android)
            test.time.pass(.seconds(13 * 3600))
            #expect(await test.outage() == nil)
        }
    }

    @Test("callers at once do not pass the limit")
    func concurrentLimit() async throws {
        try await TestClient.run(settings: { $0.dailyLimit = 10 }) { test in
            let outages = await withTaskGroup(of: IntegrityDecoderOutage?.self) { group in
                for _ in 0..<40 { group.addTask { await test.outage() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outages.count { $0 == nil } == 10)
            #expect(outages.count { $0?.code == .quota } == 30)
            #expect(test.google.apiRequests.count == 10)
        }
    }
}
