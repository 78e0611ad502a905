import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct CircuitTests {
    private static func run(_ body: (TestClient) async throws -> Void) async throws {
        try await TestClient.run(
            settings: {
                $0.attempts = 1
                $0.circuitThreshold = 3
                $0.circuitPause = .seconds(30)
            }, body)
    }

    private static let down = FakeGoogle.Step.answer(503, "")

    @Test("failures in a row open the circuit, one call tries after a while, and its answer closes it")
    func opensAndCloses() async throws {
        try await CircuitTests.run { test in
            test.google.script(CircuitTests.down, CircuitTests.down, CircuitTests.down)
            for _ in 0..<3 { #expect(await test.outage()?.code == .serverError) }
            let until = test.time.now.addingTimeInterval(30)
            #expect(test.client.circuit == .open(until: until))
            test.time.pass(.seconds(29))
            let outage = await test.outage()
            #expect(outage?.code == .circuitOpen)
            #expect(outage?.retryAt == until)
            #expect(outage?.message.contains("2026-04-21T18:00:30Z") == true)
            #expect(test.google.apiRequests.count == 3)
            test.time.pass(.seconds(1))
            #expect(await test.outage() == nil)
            #expect(test.client.circuit == .closed)
            #expect(test.google.apiRequests.count == 4)
        }
    }

    @Test("a trial that fails keeps the circuit open for another while")
    func trialFails() async throws {
        try await CircuitTests.run { test in
            test.google.script(Array(repeating: CircuitTests.down, count: 4))
            for _ in 0..<3 { _ = await test.outage() }
            test.time.pass(.seconds(30))
            #expect(await test.outage()?.code == .serverError)
            #expect(await test.outage()?.code == .circuitOpen)
            #expect(test.client.circuit == .open(until: test.time.now.addingTimeInterval(30)))
            #expect(test.google.apiRequests.count == 4)
        }
    }

    @Test("while one call tries, others are not sent")
    func oneTrial() async throws {
        try await CircuitTests.run { test in
            let gate = Gate()
            test.google.script(Array(repeating: CircuitTests.down, count: 3) + [.held(gate, .serve)])
            for _ in 0..<3 { _ = await test.outage() }
            test.time.pass(.seconds(30))
            async let trial = test.outage()
            try await test.requests(4)
            #expect(test.client.circuit == .halfOpen)
            #expect(await test.outage()?.code == .circuitOpen)
            gate.open()
            #expect(await trial == nil)
            #expect(test.client.circuit == .closed)
        }
    }

    @Test("a trial that is cancelled leaves the trial to the next call")
    func cancelledTrial() async throws {
        try await CircuitTests.run { test in
            test.google.script(Array(repeating: CircuitTests.down, count: 3) + [.held(Gate(), .serve)])
            for _ in 0..<3 { _ = await test.outage() }
            test.time.pass(.seconds(30))
            let trial = Task { await test.outage() }
            try await test.requests(4)
            trial.cancel()
            #expect(await trial.value?.code == .cancelled)
            #expect(await test.outage() == nil)
        }
    }

    @Test("a call that began before the circuit opened does not change its state")
    func lateAnswer() async throws {
        try await CircuitTests.run { test in
            _ = try await test.decode()
            let (late, trial) = (Gate(), Gate())
            test.google.script(
                [.held(late, .serve)] + Array(repeating: CircuitTests.down, count: 3) + [.held(trial, .serve)])
            async let lateOutage = test.outage()
            try await test.requests(2)
            for _ in 0..<3 { _ = await test.outage() }
            test.time.pass(.seconds(30))
            async let trialOutage = test.outage()
            try await test.requests(6)
            late.open()
            #expect(await lateOutage == nil)
            #expect(test.client.circuit == .halfOpen)
            trial.open()
            #expect(await trialOutage == nil)
            #expect(test.client.circuit == .closed)
        }
    }

    @Test(
        "answers that are ours to repair, rejections and quotas are no failures of the servers",
        arguments: [
            FakeGoogle.Step.answer(400, FakeGoogle.error(400, "INVALID_ARGUMENT", "Token.")),
            .answer(400, FakeGoogle.error(400, "FAILED_PRECONDITION", "Us.")),
            .answer(403, FakeGoogle.error(403, "PERMISSION_DENIED", "Us.")), .answer(404, ""), .answer(429, ""),
        ])
    func countsServersOnly(_ step: FakeGoogle.Step) async throws {
        try await CircuitTests.run { test in
            test.google.script(CircuitTests.down, CircuitTests.down, step, CircuitTests.down, CircuitTests.down)
            for _ in 0..<5 { _ = await test.outage() }
            #expect(test.client.circuit == .closed)
            #expect(test.google.apiRequests.count == 5)
        }
    }

    @Test(
        "answers of proxies count as failures of the servers",
        arguments: [FakeGoogle.Step.answer(200, "<html>"), .cut, .close, .answer(502, "<html>"), .answer(302, "")])
    func countsOthers(_ step: FakeGoogle.Step) async throws {
        try await CircuitTests.run { test in
            test.google.script(step, step, step)
            for _ in 0..<3 { #expect(await test.outage() != nil) }
            #expect(await test.outage()?.code == .circuitOpen)
        }
    }

    @Test("a token endpoint that is down opens the circuit too")
    func tokenEndpoint() async throws {
        try await CircuitTests.run { test in
            for _ in 0..<3 { test.google.scriptTokens(.answer(503, "")) }
            for _ in 0..<3 { #expect(await test.outage()?.code == .serverError) }
            #expect(await test.outage()?.code == .circuitOpen)
        }
    }
}
