import Approov
import Assay
import AssayCore
import AssayHummingbird
import AssayTesting
import Hummingbird
import Testing

@Suite("Bodies that are checked while a handler reads them", .timeLimit(.minutes(20)))
struct StreamedBodyTests {
    private let server = UploadServer()

    @Test("Parts are forwarded as they arrive, the last one after the message is accepted")
    func matching() async throws {
        let answer = try await server.run { try await UploadServer.send(UploadServer.signed, to: $0).answer }
        let call = try #require(server.calls.first)
        #expect(call.parts == UploadServer.signed)
        #expect(call.outcomes == ["pending", "accept"])
        #expect(answer.hasSuffix("stored"))
    }

    @Test("The last part of a body that was changed never comes, and no answer of the handler gets out")
    func changed() async throws {
        let sent = try await server.run { try await UploadServer.send(UploadServer.forged, to: $0) }
        let call = try #require(server.calls.first)
        #expect(call.parts == Array(UploadServer.forged.dropLast()))
        #expect(call.problem?.outcome.verdict?.failed == [CheckID.approovMessageContentDigest])
        #expect(call.outcomes == ["pending", "reject"])
        #expect(sent.status == 401)
        #expect(!sent.answer.contains("stored"))
    }

    @Test("Under annotate, the whole body is forwarded, and the verdict rejects at the end")
    func annotated() async throws {
        let answer = try await server.run(enforcement: .annotate) {
            try await UploadServer.send(UploadServer.forged, to: $0).answer
        }
        let call = try #require(server.calls.first)
        #expect(call.parts == UploadServer.forged)
        #expect(call.outcomes == ["pending", "reject"])
        #expect(answer.hasSuffix("stored"))
    }

    @Test("Under annotate, a body over the limit is forwarded completely")
    func annotatedTooLong() async throws {
        let parts = (0..<20).map { String(repeating: "\($0 % 10)", count: 100) }
        try await server.run(enforcement: .annotate) { _ = try await UploadServer.send(parts, to: $0) }
        let call = try #require(server.calls.first)
        #expect(call.parts.joined() == parts.joined())
        #expect(call.outcomes == ["pending", "unjudged"])
    }

    /// What happens to a copy of a message before the honest client sends it.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var path = "/upload"
        let parts: [String]
        var isCut = false
        let status: [Int]
    }

    @Test(
        "A message whose body is refused, or whose handler fails before the end, is not used up",
        arguments: [
            Attempt(testDescription: "another body", parts: UploadServer.forged, status: [401]),
            Attempt(
                testDescription: "another body, for a handler that ignores errors", path: "/careless",
                parts: UploadServer.forged, status: [401]),
            Attempt(
                testDescription: "another body, for a handler that reads nothing", path: "/ignore",
                parts: UploadServer.forged, status: [401]),
            Attempt(testDescription: "no body", parts: [], status: [401]),
            Attempt(testDescription: "the body and more", parts: UploadServer.signed + [" "], status: [401]),
            Attempt(
                testDescription: "a body over the limit", parts: [String(repeating: "a", count: 1001)], status: [413]),
            Attempt(
                testDescription: "a cut body", parts: UploadServer.signed.dropLast(), isCut: true, status: [0, 400]),
            Attempt(
                testDescription: "a cut body, for a handler that ignores errors", path: "/careless",
                parts: UploadServer.signed.dropLast(), isCut: true, status: [0, 400]),
            Attempt(
                testDescription: "a handler that throws", path: "/throw", parts: UploadServer.signed, status: [500]),
            Attempt(
                testDescription: "a handler that refuses", path: "/refuse", parts: UploadServer.signed, status: [409]),
        ])
    func unused(_ one: Attempt) async throws {
        let ledger = FaultyLedger()
        try await server.run(ledger: ledger) { port in
            var steps = try UploadServer.steps(one.parts, path: one.path)
            if one.isCut { steps.removeLast() }
            let answer = try await RawExchange.send(steps, to: port, endsEarly: one.isCut)
            #expect(one.status.contains(RawExchange.status(answer)), "\(answer)")
            #expect(!ledger.history.contains { $0.operation == .commit }, "a rejection changes nothing in the ledger")
            guard !["/throw", "/refuse"].contains(one.path) else { return }
            let honest = try await UploadServer.send(UploadServer.signed, path: one.path, to: port)
            #expect(honest.status == 200)
            let replay = try await UploadServer.send(UploadServer.signed, path: one.path, to: port)
            #expect(replay.status == 401)
        }
    }

    @Test(
        "A message is used up although the handler leaves its body, and a copy gets no answer of the handler",
        arguments: ["/ignore", "/half", "/upload", "/careless"])
    func replay(_ path: String) async throws {
        try await server.run { port in
            let first = try await UploadServer.send(UploadServer.signed, path: path, to: port)
            #expect(first.status == 200)
            let second = try await UploadServer.send(UploadServer.signed, path: path, to: port)
            #expect(second.status == 401)
            #expect(!second.answer.contains("stored"))
        }
    }

    @Test("Of two copies at the same time exactly one is accepted, and the body of the other ends with an error")
    func copies() async throws {
        let server = server
        try await server.run { port in
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var steps = try UploadServer.steps(UploadServer.signed)
                        let last = steps.removeLast()
                        steps.append {
                            // Both bodies are there but for their ends.
                            try await server.waits { $0.count == 2 && $0.allSatisfy { $0.parts.count == 2 } }
                            return try await last()
                        }
                        return RawExchange.status(try await RawExchange.send(steps, to: port))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == [200, 401])
        }
        let refused = server.calls.filter { $0.problem != nil }
        #expect(refused.count == 1)
        #expect(refused.first?.problem?.outcome.verdict?.failed == [CheckID.approovMessageReplay])
        #expect(refused.first?.parts == Array(UploadServer.signed.dropLast()))
        #expect(server.calls.first { $0.problem == nil }?.parts == UploadServer.signed)
    }

    @Test(
        "In an outage at the end the last part is withheld and 503 answered, unless options.outages says otherwise",
        arguments: [
            (EvidenceMiddlewareOptions.OutageRule.refuse, OutageCode.unreachable, 503, 2),
            (.letThrough, .unreachable, 200, 3),
            // A slow client brings this about: the message may have been accepted before.
            (.letThrough, .forgotten, 503, 2),
        ])
    func outage(
        _ rule: EvidenceMiddlewareOptions.OutageRule, _ code: OutageCode, _ status: Int, _ parts: Int
    ) async throws {
        let outage = LedgerOutage(code, "as planned")
        let ledger = FaultyLedger { operation, _ in operation == .commit ? .outage(outage) : nil }
        let server = server
        try await server.run(ledger: ledger) { options in
            options.outages = rule
        } _: { port in
            let first = try await UploadServer.send(UploadServer.signed, to: port)
            #expect(first.status == status)
            #expect(server.calls.first?.parts.count == parts)
            #expect(server.calls.first?.outcomes == ["pending", "outage"])
            ledger.recover()
            let second = try await UploadServer.send(UploadServer.signed, to: port)
            #expect(second.status == 200)
        }
    }
}
