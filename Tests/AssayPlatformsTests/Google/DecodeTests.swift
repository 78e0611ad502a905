import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct DecodeTests {
    @Test(
        "each form has its call, and returns the body of the answer unchanged",
        arguments: [
            (IntegrityTokenForm.android, "/v1/com.example.shop:decodeIntegrityToken"),
            (.pc, "/v1/com.example.shop:decodePcIntegrityToken"),
        ])
    func decodes(_ form: IntegrityTokenForm, _ path: String) async throws {
        try await TestClient.run { test in
            let body = try await test.decode(form)
            #expect(body == FakeGoogle.payload)
            let request = try #require(test.google.apiRequests.first)
            #expect(request.path == path)
            #expect(request.text == #"{"integrity_token":"\#(TestClient.token)"}"#)
            #expect(request.fields["content-type"] == "application/json")
            #expect(request.fields["authorization"] == "Bearer \(test.google.tokens[0])")
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [FakeGoogle.Step]
        /// The code of the outage; nil for an answer.
        let code: OutageCode?
        let requests: Int
        var waits: [Duration] = []
        /// A part of the message.
        var says: String?
        var testDescription: String { name }
    }

    private static let busy = FakeGoogle.Step.answer(503, FakeGoogle.error(503, "UNAVAILABLE", "Busy."))
    private static let exhausted = FakeGoogle.Step.answer(429, FakeGoogle.error(429, "RESOURCE_EXHAUSTED", "Quota."))

    @Test(
        "answers of Google and their meaning",
        arguments: [
            Case(
                name: "500, then fine", steps: [.answer(500, "")], code: nil, requests: 2, waits: [.milliseconds(200)]),
            Case(
                name: "502 with HTML, then fine", steps: [.answer(502, "<html>")], code: nil, requests: 2,
                waits: [.milliseconds(200)]),
            Case(
                name: "503 for ever", steps: [busy, busy, busy, busy], code: .serverError, requests: 4,
                waits: [.milliseconds(200), .milliseconds(400), .milliseconds(800)], says: "4 attempts"),
            Case(name: "429, then fine", steps: [exhausted], code: nil, requests: 2, waits: [.milliseconds(200)]),
            Case(
                name: "429 with Retry-After, then fine", steps: [.answer(429, "", fields: ["Retry-After": "3"])],
                code: nil, requests: 2, waits: [.seconds(3)]),
            Case(
                name: "429 with a date to try again after, then fine",
                steps: [.answer(429, "", fields: ["Retry-After": "Tue, 21 Apr 2026 18:00:05 GMT"])], code: nil,
                requests: 2, waits: [.seconds(5)]),
            Case(
                name: "429 with a Retry-After that is neither",
                steps: [.answer(429, "", fields: ["Retry-After": "soon"])],
                code: nil, requests: 2, waits: [.milliseconds(200)]),
            Case(
                name: "503 with a Retry-After beyond the deadline",
                steps: [.answer(503, "", fields: ["Retry-After": "15"])], code: .serverError, requests: 1, says: "15 s"),
            Case(
                name: "429 for ever", steps: [exhausted, exhausted, exhausted, exhausted], code: .quota, requests: 4,
                waits: [.milliseconds(200), .milliseconds(400), .milliseconds(800)], says: "RESOURCE_EXHAUSTED"),
            Case(
                name: "403", steps: [.answer(403, FakeGoogle.error(403, "PERMISSION_DENIED", "Not you."))],
                code: .notAuthorised, requests: 1, says: "Cloud project"),
            Case(name: "403 of a proxy", steps: [.answer(403, "<html>")], code: .unexpectedAnswer, requests: 1),
            Case(
                name: "404", steps: [.answer(404, "<html>")], code: .unexpectedAnswer, requests: 1, says: "base URL"),
            Case(
                name: "HTML with 200", steps: [.answer(200, "<html><title>Sign in</title></html>")],
                code: .unexpectedAnswer, requests: 1, says: "text/html"),
            Case(name: "an empty 200", steps: [.answer(200, "")], code: .unexpectedAnswer, requests: 1),
            Case(name: "an array", steps: [.answer(200, "[]")], code: .unexpectedAnswer, requests: 1),
            Case(name: "text", steps: [.answer(200, #""ok""#)], code: .unexpectedAnswer, requests: 1),
            Case(
                name: "an unknown schema", steps: [.answer(200, #"{"tokenPayload":{}}"#)], code: .unexpectedAnswer,
                requests: 1, says: "tokenPayloadExternal"),
            Case(
                name: "a payload that is no object", steps: [.answer(200, #"{"tokenPayloadExternal":"x"}"#)],
                code: .unexpectedAnswer, requests: 1),
            Case(
                name: "duplicate keys",
                steps: [.answer(200, #"{"tokenPayloadExternal":{},"tokenPayloadExternal":{}}"#)],
                code: .unexpectedAnswer, requests: 1),
            Case(name: "a byte order mark", steps: [.answer(200, "\u{FEFF}{}")], code: .unexpectedAnswer, requests: 1),
            Case(name: "a cut body", steps: [.cut], code: .unexpectedAnswer, requests: 1, says: "ended"),
            Case(
                name: "a body beyond the limit",
                steps: [.answer(200, "{\"tokenPayloadExternal\":{}" + String(repeating: " ", count: 262_144) + "}")],
                code: .unexpectedAnswer, requests: 1, says: "more than 262144 bytes"),
            Case(
                name: "a redirect", steps: [.answer(307, "", fields: ["Location": "/v1/elsewhere"])],
                code: .unexpectedAnswer, requests: 1),
            Case(name: "204", steps: [.answer(204, "")], code: .unexpectedAnswer, requests: 1),
            Case(
                name: "closed without an answer, then fine", steps: [.close], code: nil, requests: 2,
                waits: [.milliseconds(200)]),
            Case(
                name: "closed without an answer for ever", steps: [.close, .close, .close, .close], code: .unreachable,
                requests: 4, waits: [.milliseconds(200), .milliseconds(400), .milliseconds(800)]),
        ])
    func answers(_ item: Case) async throws {
        try await TestClient.run { test in
            test.google.script(item.steps)
            let outage = await test.outage()
            #expect(outage?.code == item.code)
            if let says = item.says { #expect(outage?.message.contains(says) == true, "\(outage?.message ?? "")") }
            #expect(test.google.apiRequests.count == item.requests)
            #expect(test.time.waits == item.waits)
        }
    }

    @Test("the wait is drawn from the whole interval, and never shorter than what Retry-After demands")
    func jitter() async throws {
        try await TestClient.run(random: 0.25) { test in
            test.google.script(
                .answer(503, ""), .answer(503, ""), .answer(503, "", fields: ["Retry-After": "2"]))
            #expect(await test.outage() == nil)
            #expect(test.time.waits == [.milliseconds(50), .milliseconds(100), .seconds(2)])
        }
    }

    @Test("an exhausted quota has the time of the next call")
    func retryAt() async throws {
        try await TestClient.run { test in
            test.google.script(.answer(429, "", fields: ["Retry-After": "3600"]))
            let outage = await test.outage()
            #expect(outage?.code == .quota)
            #expect(outage?.retryAt == test.time.now.addingTimeInterval(3600))
        }
    }

    @Test(
        "the error of a token that Google cannot decode is the answer on it",
        arguments: [
            FakeGoogle.error(400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
            FakeGoogle.error(
                400, "INVALID_ARGUMENT", "Integrity token cannot be decoded.",
                details: #"{"@type":"type.googleapis.com/google.rpc.BadRequest","#
                    + #""fieldViolations":[{"field":"integrity_token","description":"bad"}]}"#),
        ])
    func refusedToken(_ error: String) async throws {
        try await TestClient.run { test in
            test.google.script(.answer(400, error))
            let body = try await test.decode()
            #expect(body == error)
            #expect(test.google.apiRequests.count == 1)
        }
    }

    @Test(
        "a 400 that is no word on the token is an outage",
        arguments: [
            "<html>", "{}", #"{"error":"INVALID_ARGUMENT"}"#, #"{"error":{"code":400,"message":"x"}}"#,
            FakeGoogle.error(404, "INVALID_ARGUMENT", "The code of another answer."),
            FakeGoogle.error(400, "FAILED_PRECONDITION", "Not now."),
            FakeGoogle.error(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name."),
            FakeGoogle.error(
                400, "INVALID_ARGUMENT", "Bad package.",
                details: #"{"@type":"type.googleapis.com/google.rpc.BadRequest","#
                    + #""fieldViolations":[{"field":"package_name"}]}"#),
            FakeGoogle.error(
                400, "INVALID_ARGUMENT", "API key not valid.",
                details: #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}"#),
        ])
    func ourFault(_ body: String) async throws {
        try await TestClient.run { test in
            test.google.script(.answer(400, body))
            #expect(await test.outage()?.code == .unexpectedAnswer)
            #expect(test.google.apiRequests.count == 1)
        }
    }

    @Test("a slow answer is a timeout, and tried again")
    func slow() async throws {
        try await TestClient.run {
            $0.attemptTime = .seconds(3)
            $0.attempts = 2
        } _: { test in
            let slow = FakeGoogle.Step.held(Gate(), .serve)
            test.google.script(slow)
            async let answered = test.outage()
            try await test.runOut(afterRequests: 1)
            #expect(await answered == nil)
            #expect(test.google.apiRequests.count == 2)
            test.google.script(slow, slow)
            async let unanswered = test.outage()
            try await test.runOut(afterRequests: 3)
            try await test.runOut(afterRequests: 4)
            let outage = await unanswered
            #expect(outage?.code == .timeout)
            #expect(outage?.message.contains("3 s") == true)
            #expect(test.google.apiRequests.count == 4)
        }
    }

    @Test("a call whose answer began and timed out is not repeated")
    func stalled() async throws {
        try await TestClient.run { test in
            // On a busy machine the beginning may be late, and then a retry is right.
            for wait in [Duration.milliseconds(100), .seconds(1), .seconds(10)] {
                let before = test.google.apiRequests.count
                test.google.script(.stall)
                async let call = test.outage()
                try await test.requests(before + 1)
                try await Task.sleep(for: wait)
                try await test.runOut(afterRequests: before + 1)
                guard let outage = await call else { continue }
                #expect(outage.code == .timeout)
                #expect(test.google.apiRequests.count == before + 1)
                return
            }
            Issue.record("it was asked for again")
        }
    }

    @Test("the deadline bounds the call with all its attempts, and the access token too")
    func deadline() async throws {
        try await TestClient.run {
            $0.deadline = .milliseconds(300)
        } _: { test in
            test.google.scriptTokens(.held(Gate(), .serve))
            async let outage = test.outage()
            try await test.tokenRequest()
            try await test.time.runOut(.milliseconds(300))
            #expect(await outage?.code == .timeout)
            #expect(test.google.tokenRequests.count == 1)
            #expect(test.google.apiRequests.isEmpty)
        }
    }

    @Test("by the clocks of the system, time runs out when it has passed, and not for what was cancelled")
    func systemTime() async throws {
        // A busy machine may make any one of them late.
        var times: [Duration] = []
        while times.count < 20, times.last ?? .seconds(1) >= .seconds(1) {
            let start = ContinuousClock.now
            try await ClientTime.system.runOut(.milliseconds(20))
            times.append(ContinuousClock.now - start)
        }
        #expect(times.allSatisfy { $0 >= .milliseconds(20) } && times.last ?? .zero < .seconds(1), "\(times)")
        let cancelled = Task { try await ClientTime.system.runOut(.seconds(3600)) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test("no server is an outage")
    func unreachable() async throws {
        try await TestClient.run { test in
            try await test.google.close()
            let outage = await test.outage()
            #expect(outage?.code == .unreachable)
            #expect(outage?.message.contains("4 attempts") == true)
            #expect(outage?.message.localizedCaseInsensitiveContains("refused") == true, "\(outage?.message ?? "")")
        }
    }

    @Test("a lost connection is an outage; unsent requests are not counted")
    func gone() async throws {
        try await TestClient.run { test in
            _ = try await test.decode()
            try await test.google.close()
            #expect(await test.outage()?.code == .unreachable)
            // The open connection took one more request, unless it was idle for too long on a busy machine; the others found
            // none.
            #expect((1...2).contains(test.client.usage(of: TestClient.package).decodes))
        }
    }

    @Test("a server that has no certificate is an outage, and is sent nothing")
    func noCertificate() async throws {
        try await TestClient.run { test in
            let tokenURL = test.google.tokenURL.replacing("http:", with: "https:")
            let account = try ServiceAccount(json: TestAccount.file(tokenURL: tokenURL))
            let client = PlayIntegrityClient(account: account, settings: .init(), time: test.time.client)
            let error = await #expect(throws: IntegrityDecoderOutage.self) {
                try await client.decode(token: TestClient.token, packageName: TestClient.package, form: .android)
            }
            await client.shutdown()
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("handshake") == true, "\(error?.message ?? "")")
            #expect(test.google.tokenRequests.isEmpty)
        }
    }

    @Test("an invalid request is not sent, and does not count as a failure of Google")
    func notSendable() async throws {
        let names = [
            "", "shop", "com..shop", "com.1shop", "com.shop/../x", "com.shop:x", "com.sh\u{f6}p", "com.shop ", ".a.b",
        ]
        let tokens = [
            "", "a b", "a\nb", "<script>", "a%b", "\u{e9}", "a\u{0}",
            String(repeating: "a", count: InputLimits.integrityToken + 1),
        ]
        try await TestClient.run { test in
            let calls = names.map { (TestClient.token, $0) } + tokens.map { ($0, TestClient.package) }
            for (token, name) in calls {
                let error = await #expect(throws: IntegrityDecoderOutage.self) {
                    try await test.client.decode(token: token, packageName: name, form: .android)
                }
                #expect(error?.code == .notSendable)
            }
            #expect(test.google.apiRequests.isEmpty)
            #expect(test.google.tokenRequests.isEmpty)
            #expect(test.client.circuit == .closed)
        }
    }

    @Test("every character of a token reaches Google as it is")
    func alphabet() async throws {
        try await TestClient.run { test in
            let token = "AZaz09-_.AZ09"
            _ = try await test.client.decode(token: token, packageName: TestClient.package, form: .android)
            guard case .text(let sent) = test.google.apiRequests.last?.json?["integrity_token"]?.content else {
                Issue.record("no token was sent")
                return
            }
            #expect(sent == token)
        }
    }
}
