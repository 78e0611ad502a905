import AndroidKey
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import Synchronization
import Testing

/// When the server is asked, and how (RFC 9111).
@Suite(.timeLimit(.minutes(10))) struct CachingTests {
    struct Lifetime: Sendable, CustomTestStringConvertible {
        let fields: [String: String]
        let seconds: Double

        var testDescription: String { "\(fields.sorted { $0.key < $1.key }) for \(seconds) s" }
    }

    @Test(
        "An answer is used for max-age less Age, else for five minutes, from a minute to six hours",
        arguments: [
            Lifetime(fields: ["Cache-Control": "public, max-age=1000"], seconds: 1000),
            Lifetime(fields: ["Cache-Control": "max-age=1000", "Age": "400"], seconds: 600),
            Lifetime(fields: ["Cache-Control": "MAX-AGE=1000 , public"], seconds: 1000),
            Lifetime(fields: [:], seconds: 300),
            Lifetime(fields: ["Age": "400"], seconds: 300),
            Lifetime(fields: ["Cache-Control": "max-age=x"], seconds: 300),
            Lifetime(fields: ["Cache-Control": "max-age=-5"], seconds: 300),
            Lifetime(fields: ["Cache-Control": "max-age=1000, no-cache"], seconds: 60),
            Lifetime(fields: ["Cache-Control": "no-store"], seconds: 60),
            Lifetime(fields: ["Cache-Control": "max-age=0"], seconds: 60),
            Lifetime(fields: ["Cache-Control": "max-age=100", "Age": "500"], seconds: 60),
            Lifetime(fields: ["Cache-Control": "max-age=99999999999999999999"], seconds: 21_600),
        ])
    func lifetimes(_ example: Lifetime) async throws {
        try await TestStatus.run { test in
            test.script.state.withLock { $0.fields = example.fields }
            _ = try await test.list()
            // Random numbers of tests are 1: a list is renewed after nine tenths of its lifetime.
            test.time.pass(.seconds(example.seconds * 0.89))
            _ = try await test.list()
            #expect(test.script.requests.count == 1)
            test.time.pass(.seconds(example.seconds * 0.12))
            _ = try await test.list()
            #expect(test.script.requests.count == 2)
        }
    }

    @Test("A list is renewed in the background before it expires: no judgement waits")
    func renewsAhead() async throws {
        try await TestStatus.run { test in
            let first = try await test.list()
            let next = TestStatus.list(["a1", "a2", "a3", "a4", "a5"])
            test.script.publish(next, ["ETag": "\"2\""])
            test.time.pass(.seconds(950))
            let meanwhile = try await test.list()
            #expect(meanwhile.digest == first.digest)
            try await test.renewal(to: next)
            #expect(test.script.requests.count == 2)
        }
    }

    @Test("A request has the validators of the last answer, and 304 confirms the list")
    func conditional() async throws {
        try await TestStatus.run { test in
            let modified = "Tue, 21 Apr 2026 10:00:00 GMT"
            test.script.publish(TestStatus.list(["a1"]), ["Last-Modified": modified])
            let first = try await test.list()
            #expect(first.issuedAt == RFC3339.parse("2026-04-21T10:00:00Z"))
            test.time.pass(.seconds(1200))
            let second = try await test.list()
            #expect(second.digest == first.digest)
            #expect(second.fetchedAt == first.fetchedAt?.addingTimeInterval(1200))
            let requests = test.script.requests
            #expect(requests.map(\.path) == ["/attestation/status", "/attestation/status"])
            #expect(requests[0].fields["if-none-match"] == nil)
            #expect(requests[1].fields["if-none-match"] == "\"1\"")
            #expect(requests[1].fields["if-modified-since"] == modified)
        }
    }

    @Test("Age is subtracted from the time of a list")
    func age() async throws {
        try await TestStatus.run { test in
            test.script.publish(TestStatus.list(["a1"]), ["Age": "700"])
            let list = try await test.list()
            #expect(list.fetchedAt == test.time.now.addingTimeInterval(-700))
            // An answer that caches held longer than the policy allows is no list, and is not asked for again at once.
            test.script.publish(TestStatus.list(["a1", "a2"]), ["Age": "90000", "ETag": "\"2\""])
            test.time.pass(.seconds(3000))
            #expect(await test.outage(maximumAge: 2000)?.code == .statusListTooOld)
            let count = test.script.requests.count
            #expect(await test.outage(maximumAge: 2000)?.code == .statusListTooOld)
            #expect(test.script.requests.count == count)
        }
    }

    @Test("The Date of an answer bounds its age from below, and one in the future does not count")
    func date() async throws {
        try await TestStatus.run { test in
            for (ahead, age) in [(-900.0, 900.0), (900, 0), (-20, 100)] {
                test.time.pass(.seconds(4000))
                let asked = test.time.now
                test.script.publish(
                    TestStatus.list(["a1", "a2", "\(Int(age))"]),
                    [
                        "Date": HTTPTestDate.text(asked.addingTimeInterval(ahead)), "Age": ahead == -20 ? "100" : "0",
                        "ETag": "\"\(ahead)\"",
                    ])
                let list = try await test.list()
                #expect(list.fetchedAt == asked.addingTimeInterval(-age), "\(ahead) s")
            }
        }
    }

    @Test("Judgements that come together share one request")
    func oneRequest() async throws {
        try await TestStatus.run { test in
            let digests = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<50 { group.addTask { try await test.list().digest } }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(digests.count == 1)
            #expect(test.script.requests.count == 1)
        }
    }
}

/// The form of `Date` (RFC 9110 section 5.6.7).
private enum HTTPTestDate {
    static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
