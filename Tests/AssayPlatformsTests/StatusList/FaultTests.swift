import AndroidKey
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import CoreMetrics
import Foundation
import MetricsTestKit
import Testing

/// What is no list changes nothing, until the list is too old: then it is an outage, and never an acceptance.
@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let step: ScriptedServer.Step
        let code: OutageCode

        var testDescription: String { name }
    }

    static let faults = [
        Fault(
            name: "a redirect of a captive portal",
            step: .answer(302, "", fields: ["Location": "http://127.0.0.1:1/login"]), code: .unexpectedAnswer),
        Fault(name: "the page of a captive portal", step: .answer(200, "<html>Sign in"), code: .unexpectedAnswer),
        Fault(name: "no bytes", step: .answer(200, ""), code: .unexpectedAnswer),
        Fault(
            name: "a list that is cut", step: .answer(200, String(TestStatus.list(["a1"]).dropLast(3))),
            code: .unexpectedAnswer),
        Fault(name: "a list without entries", step: .answer(200, #"{"entries":{}}"#), code: .unexpectedAnswer),
        Fault(
            name: "a serial number in a form that matches nothing",
            step: .answer(200, TestStatus.list(["a1", "0x2c8cdddfd5e03bfc"])), code: .unexpectedAnswer),
        Fault(
            name: "an Age that is no number", step: .answer(200, TestStatus.list(["a1"]), fields: ["Age": "x"]),
            code: .unexpectedAnswer),
        Fault(
            name: "two values of Age", step: .answer(200, TestStatus.list(["a1"]), fields: ["Age": "0, 90000"]),
            code: .unexpectedAnswer),
        Fault(name: "50 MB that are announced", step: .announced(50_000_000), code: .unexpectedAnswer),
        Fault(name: "more than 16 MiB in chunks", step: .chunked(17 << 20), code: .unexpectedAnswer),
        Fault(name: "not found", step: .answer(404, "{}"), code: .unexpectedAnswer),
        Fault(name: "no content", step: .answer(204, ""), code: .unexpectedAnswer),
        Fault(name: "another status", step: .answer(511, "<html>Sign in"), code: .serverError),
        Fault(name: "too many requests", step: .answer(429, ""), code: .serverError),
        Fault(name: "a server error", step: .answer(503, ""), code: .serverError),
        Fault(name: "the end of the connection", step: .close, code: .unreachable),
        Fault(name: "an answer that ends early", step: .cut, code: .unexpectedAnswer),
    ]

    @Test("A metric says whether the last request has failed")
    func metric() async throws {
        let metrics = TestMetrics()
        func value() -> Double? {
            metrics.meters.first { $0.label == MetricName.statusListFailing.rawValue }?.lastValue
        }
        func fail(_ test: TestStatus) async throws {
            test.script.script(.answer(503, ""))
            let outage = await test.outage()
            #expect(outage?.code == .statusListMissing)
            #expect(value() == 1)
            test.time.pass(.seconds(10))
            let list = try await test.list()
            #expect(list.count == 4)
            #expect(value() == 0)
        }
        try await withMetricsFactory(metrics) { try await TestStatus.run(fail) }
    }

    @Test("Without a former list, a fault is an outage that says what came", arguments: faults)
    func first(_ fault: Fault) async throws {
        try await TestStatus.run { test in
            test.script.script(fault.step)
            let outage = await test.outage()
            #expect(outage?.code == .statusListMissing)
            #expect(outage?.message.contains("(\(fault.code))") == true, "\(outage?.message ?? "a list")")
            let failure = await test.client.lastFailure
            #expect(failure?.code == fault.code)
            // The next judgement after the pause gets the list.
            test.time.pass(.seconds(10))
            let list = try await test.list()
            #expect(list.count == 4)
            let cleared = await test.client.lastFailure
            #expect(cleared == nil)
        }
    }

    @Test("With a former list, a fault keeps it until it is too old", arguments: faults)
    func later(_ fault: Fault) async throws {
        try await TestStatus.run { test in
            let former = try await test.list()
            test.script.script(fault.step, fault.step)
            test.time.pass(.seconds(2000))
            let kept = try await test.list()
            #expect(kept.digest == former.digest)
            #expect(kept.fetchedAt == former.fetchedAt)
            test.time.pass(.seconds(TestStatus.day - 2000))
            let last = try await test.list()
            #expect(last.digest == former.digest)
            test.time.pass(.seconds(1))
            let outage = await test.outage()
            #expect(outage?.code == .statusListTooOld)
            #expect(outage?.message.contains("(\(fault.code))") == true, "\(outage?.message ?? "a list")")
        }
    }

    @Test("An answer that does not come in time is an outage, and waits no longer")
    func timeout() async throws {
        try await TestStatus.run { test in
            test.script.script(.stall)
            async let outage = test.outage()
            try await test.requests(1)
            try await test.time.runOut(.seconds(10))
            #expect(await outage?.code == .statusListMissing)
            #expect(await test.client.lastFailure?.code == .timeout)
        }
    }

    @Test("While a list is still allowed, a judgement waits two seconds for a newer one, and takes it later")
    func renewalWait() async throws {
        try await TestStatus.run { test in
            let former = try await test.list()
            let gate = Gate()
            let next = TestStatus.list(["a1", "a2", "a3", "a4", "b1"])
            test.script.script(.held(gate, .answer(200, next)))
            test.time.pass(.seconds(2000))
            async let kept = test.list()
            try await test.requests(2)
            try await test.time.runOut(.seconds(2))
            #expect(try await kept.digest == former.digest)
            gate.open()
            try await test.renewal(to: next)
        }
    }

    @Test("Retry-After counts up to 15 minutes: a longer pause would make the list too old")
    func longPause() async throws {
        try await TestStatus.run { test in
            test.script.script(.answer(503, "", fields: ["Retry-After": "86400"]))
            for (pause, requests) in [(898.0, 1), (3, 2)] {
                _ = await test.outage()
                test.time.pass(.seconds(pause))
                _ = await test.outage()
                #expect(test.script.requests.count == requests, "after \(pause) s")
            }
        }
    }

    @Test("After failures the pauses grow, and Retry-After is respected")
    func pauses() async throws {
        try await TestStatus.run { test in
            test.script.script(.close, .close, .answer(503, "", fields: ["Retry-After": "500"]))
            // Random numbers of tests are 1: the pauses are 5 s, 10 s, and what the server says.
            for (pause, requests) in [(4.0, 1), (2, 2), (9, 2), (2, 3), (499, 3), (2, 4)] {
                _ = await test.outage()
                test.time.pass(.seconds(pause))
                _ = await test.outage()
                #expect(test.script.requests.count == requests, "after \(pause) s")
            }
            #expect(await test.outage() == nil)
        }
    }

    @Test("After shutdown every judgement is the outage shut-down")
    func shutDown() async throws {
        try await TestStatus.run { test in
            _ = try await test.list()
            await test.client.shutdown()
            #expect(await test.outage()?.code == .shutDown)
        }
    }

    @Test("A clock that steps back makes no list younger")
    func clockSteps() async throws {
        try await TestStatus.run { test in
            _ = try await test.list()
            for _ in 0..<40 { test.script.script(.close) }
            test.time.pass(.seconds(TestStatus.day + 1))
            // The time of judgement is that of the first list, as after a step of the clock.
            do throws(StatusListOutage) {
                _ = try await test.client.statusList(
                    at: test.time.now.addingTimeInterval(-TestStatus.day), maximumAge: TestStatus.day)
                Issue.record("a list")
            } catch {
                #expect(error.code == .statusListTooOld)
            }
        }
    }
}
