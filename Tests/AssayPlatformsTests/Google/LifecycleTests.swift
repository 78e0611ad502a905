import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct LifecycleTests {
    @Test("a call that is cancelled ends at once, and nothing is sent for it any more")
    func cancelled() async throws {
        try await TestClient.run { test in
            test.google.script(.held(Gate(), .serve))
            let call = Task { await test.outage() }
            try await test.requests(1)
            call.cancel()
            #expect(await call.value?.code == .cancelled)
            #expect(test.google.apiRequests.count == 1)
            #expect(test.client.circuit == .closed)
        }
    }

    @Test("a call that is cancelled while its answer arrives has no answer")
    func cancelledInBody() async throws {
        try await TestClient.run { test in
            test.google.script(.stall)
            let call = Task { await test.outage() }
            try await test.requests(1)
            try await Task.sleep(for: .milliseconds(100))
            call.cancel()
            #expect(await call.value?.code == .cancelled)
        }
    }

    @Test("a task that was cancelled before sends nothing")
    func cancelledBefore() async throws {
        try await TestClient.run { test in
            let call = Task {
                while !Task.isCancelled { await Task.yield() }
                return await test.outage()
            }
            call.cancel()
            #expect(await call.value?.code == .cancelled)
            #expect(test.google.apiRequests.isEmpty)
        }
    }

    @Test("shutting down ends calls that are under way, and refuses later ones")
    func shutdown() async throws {
        try await TestClient.run { test in
            test.google.script(.held(Gate(), .serve))
            async let call = test.outage()
            try await test.requests(1)
            await test.client.shutdown()
            #expect(await call?.code == .shutDown)
            #expect(await test.outage()?.code == .shutDown)
            await test.client.shutdown()
        }
    }

    @Test("shutting down sends away those who wait for an access token")
    func shutdownWhileRefreshing() async throws {
        try await TestClient.run { test in
            test.google.scriptTokens(.held(Gate(), .serve))
            async let call = test.outage()
            try await test.tokenRequest()
            await test.client.shutdown()
            #expect(await call?.code == .shutDown)
        }
    }
}
