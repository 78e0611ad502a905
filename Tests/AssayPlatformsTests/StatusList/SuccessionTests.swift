import AndroidKey
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
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

    /// The list `a1` to `a4`, where `a1` names the day on which its certificate expires.
    private static func list(_ serials: [String], expires: String?) -> String {
        TestStatus.list(serials).replacing(
            #""a1":{"#, with: #""a1":{"# + (expires.map { #""expires":"\#($0)","# } ?? ""))
    }

    @Test(
        "An entry that is cleared after its certificate has expired stays revoked; one that is lifted does not",
        arguments: [
            ("2026-04-18", true), ("2020-11-13", true), ("2026-04-21", false), ("2030-01-01", false), (nil, false),
        ]
            as [(String?, Bool)])
    func cleared(expires: String?, stays: Bool) async throws {
        try await TestStatus.run { test in
            test.script.publish(Self.list(["a1", "a2", "a3", "a4"], expires: expires), Self.before)
            _ = try await test.list()
            let later = ["Last-Modified": "Tue, 21 Apr 2026 11:00:00 GMT", "ETag": "\"2\""]
            let cleared = TestStatus.list(["a2", "a3", "a4"])
            test.script.publish(cleared, later)
            test.time.pass(.seconds(1100))
            let list = try await test.list()
            #expect(await test.client.lastFailure == nil)
            #expect(list.status(ofSerial: [0, 0xA1])?.state == (stays ? .revoked : nil))
            #expect(list.status(ofSerial: [0, 0xA1])?.reason == (stays ? "KEY_COMPROMISE" : nil))
            #expect(list.count == (stays ? 4 : 3))
            let served = try AttestationStatusList(json: Array(cleared.utf8), fetchedAt: nil)
            #expect((list.digest == served.digest) == !stays)
            // The list that verdicts name by its digest is the one with the entry, and reads as it.
            let again = try AttestationStatusList(json: list.json, fetchedAt: nil)
            #expect(again.digest == list.digest)
            #expect(again.count == list.count)
            // A server that starts has it from the ledger.
            try await test.withSecondClient { second in
                let shared = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(shared.digest == list.digest)
            }
            // Neither a confirmation nor a further list loses it, and the same list has the same digest.
            test.time.pass(.seconds(1100))
            #expect(try await test.list().digest == list.digest)
            test.script.publish(cleared, ["ETag": "\"3\""])
            test.time.pass(.seconds(1100))
            #expect(try await test.list().digest == list.digest)
            test.script.publish(TestStatus.list(["a2", "a3", "a4", "a5"]), ["ETag": "\"4\""])
            test.time.pass(.seconds(1100))
            #expect(try await test.list().status(ofSerial: [0, 0xA1])?.state == (stays ? .revoked : nil))
            #expect(try await test.list().status(ofSerial: [0, 0xA5])?.state == .revoked)
        }
    }

    @Test("A list in the ledger without a cleared entry does not lose it for a server that has it")
    func clearedElsewhere() async throws {
        try await TestStatus.run { test in
            test.script.publish(Self.list(["a1", "a2", "a3", "a4"], expires: "2020-11-13"), Self.before)
            _ = try await test.list()
            test.documents.forget()
            test.script.publish(TestStatus.list(["a2", "a3", "a4"]), ["ETag": "\"2\""])
            test.time.pass(.seconds(1100))
            try await test.withSecondClient { second in
                let list = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(list.status(ofSerial: [0, 0xA1]) == nil)
            }
            #expect(try await test.list().status(ofSerial: [0, 0xA1])?.state == .revoked)
            // The next renewal writes it back.
            test.time.pass(.seconds(1100))
            #expect(try await test.list().status(ofSerial: [0, 0xA1])?.state == .revoked)
            try await test.withSecondClient { second in
                let list = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(list.status(ofSerial: [0, 0xA1])?.state == .revoked)
            }
        }
    }
}
