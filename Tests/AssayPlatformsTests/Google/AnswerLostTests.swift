import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct AnswerLostTests {
    @Test(
        "cleared verdicts after an answer that was lost say nothing about the device: an outage, no rejection",
        arguments: [FakeGoogle.Step.close, .answer(500, ""), .answer(504, "<html>")])
    func afterLoss(_ loss: FakeGoogle.Step) async throws {
        try await TestClient.run { test in
            test.google.setPayload(FakeGoogle.cleared)
            test.google.script(loss)
            #expect(await test.outage()?.code == .answerLost)
            #expect(test.client.circuit == .closed)
        }
    }

    @Test("cleared verdicts after a timeout are an outage")
    func afterTimeout() async throws {
        try await TestClient.run { test in
            test.google.setPayload(FakeGoogle.cleared)
            test.google.script(.held(Gate(), .serve))
            async let outage = test.outage()
            try await test.runOut(afterRequests: 1)
            #expect(await outage?.code == .answerLost)
        }
    }

    @Test("without a lost answer, cleared verdicts are the result: another client had the token decoded")
    func replay() async throws {
        try await TestClient.run { test in
            test.google.setPayload(FakeGoogle.cleared)
            let body = try await test.decode()
            #expect(body == FakeGoogle.cleared)
        }
    }

    @Test("cleared verdicts are the answer after Google refused to decode for want of quota, or for the access token")
    func afterRefusal() async throws {
        try await TestClient.run { test in
            test.google.setPayload(FakeGoogle.cleared)
            test.google.script(.answer(429, ""), .answer(401, ""))
            let body = try await test.decode()
            #expect(body == FakeGoogle.cleared)
            #expect(test.google.apiRequests.count == 3)
        }
    }

    @Test(
        "verdicts that are there count, though an answer was lost before",
        arguments: [
            #"{"tokenPayloadExternal":{"appIntegrity":{"appRecognitionVerdict":"UNRECOGNIZED_VERSION"}}}"#,
            #"{"tokenPayloadExternal":{"deviceIntegrity":{"deviceRecognitionVerdict":["MEETS_PC_INTEGRITY"]}}}"#,
        ])
    func notCleared(_ payload: String) async throws {
        try await TestClient.run { test in
            test.google.setPayload(payload)
            test.google.script(.close)
            let body = try await test.decode()
            #expect(body == payload)
        }
    }
}
