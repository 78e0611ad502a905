import AndroidKey
import AssayAndroidStatus
import AssayCore
import AssayHTTPTestSupport
import Foundation
import Testing

/// A list that lags or has lost entries does not replace the one before, until nothing else has come for twelve hours.
@Suite(.timeLimit(.minutes(10))) struct SuccessionTests {
    private static let before = ["Last-Modified": "Tue, 21 Apr 2026 10:00:00 GMT", "ETag": "\"1\""]
    private static let older = ["Last-Modified": "Tue, 21 Apr 2026 09:00:00 GMT", "ETag": "\"2\""]

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let serials: [String]
        let fields: [String: String]
        /// The code of the refusal; nil if the list counts at once.
        let code: String?

        var testDescription: String { name }
    }

    @Test(
        arguments: [
            Case(name: "older", serials: ["a1", "a2", "a3", "a4", "a5"], fields: older, code: "status-list-older"),
            Case(
                name: "much smaller", serials: ["a1"],
                fields: ["Last-Modified": "Tue, 21 Apr 2026 11:00:00 GMT", "ETag": "\"2\""],
                code: "status-list-shrunk"),
            Case(
                name: "smaller", serials: ["a1", "a2"],
                fields: ["Last-Modified": "Tue, 21 Apr 2026 11:00:00 GMT", "ETag": "\"2\""], code: nil),
            Case(name: "of the same time", serials: ["a1", "a2", "a3", "a9"], fields: ["ETag": "\"2\""], code: nil),
        ])
    func follows(_ example: Case) async throws {
        try await TestStatus.run { test in
            test.script.publish(TestStatus.list(["a1", "a2", "a3", "a4"]), Self.before)
            let former = try await test.list()
            let next = TestStatus.list(example.serials)
            test.script.publish(next, example.fields)
            test.time.pass(.seconds(1100))
            let kept = try await test.list()
            #expect((kept.digest == former.digest) == (example.code != nil))
            #expect(await test.client.lastFailure?.code.name == example.code)
            guard example.code != nil else { return }
            // It does not count as confirmed: the former list grows older.
            #expect(kept.fetchedAt == former.fetchedAt)
            test.time.pass(.seconds(12 * 3600 - 1200))
            #expect(try await test.list().digest == former.digest)
            test.time.pass(.seconds(600))
            try await test.renewal(to: next)
        }
    }
}
