import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// Blocks and bodies that come late, over sockets.
@Suite("Requests whose bodies still arrive", .timeLimit(.minutes(20)))
struct LateBlockTests {
    /// A context whose account the client states: in place of a session.
    private struct SessionContext: EvidenceRequestContext {
        var coreContext: CoreRequestContextStorage
        let remoteAddress: SocketAddress?
        var judged: JudgedRequest?
        var account: String? = "alice"

        init(source: Source) {
            coreContext = CoreRequestContextStorage(source: source)
            remoteAddress = source.channel.remoteAddress
        }
    }

    private static let text = Array("{\"hello\":\"world\"}".utf8)

    /// Runs `body` with the port of a server whose requests are of the account `alice`.
    private static func run<Value: Sendable>(
        _ mode: RequestBodyMode, _ ledger: any Ledger, enforcement: Enforcement = .reject,
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let live = try TestAPI.live(ledger: ledger) { settings in
            settings.messageSigning = MessageSigning(signer: .installation)
            settings.enforcement = enforcement
        }
        let options = TestAPI.options(origins: try ServerOrigins("https://api.example.com")) { $0.body = mode }
        let router = Router(context: SessionContext.self)
        router.add(middleware: try EvidenceMiddleware(live, options: options))
        router.post("orders") { request, _ in
            var length = 0
            for try await part in request.body { length += part.readableBytes }
            return "stored \(length)"
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
        return try await application.test(.live) { client in try await body(#require(client.port)) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let mode: RequestBodyMode
        let subject: LedgerSubject?
        let status: Int
    }

    @Test(
        "A block that comes between the first and the last byte of the body counts",
        arguments: [
            ("collected", RequestBodyMode.collected()), ("streamed", .streamed()),
        ].flatMap { name, mode in
            [
                Case(testDescription: "\(name), no block", mode: mode, subject: nil, status: 200),
                Case(
                    testDescription: "\(name), the account", mode: mode, subject: LedgerSubject(.account, "alice"),
                    status: 403),
                Case(
                    testDescription: "\(name), another account", mode: mode, subject: LedgerSubject(.account, "bob"),
                    status: 200),
                Case(
                    testDescription: "\(name), the device", mode: mode,
                    subject: LedgerSubject(.device, TestAPI.deviceID), status: 403),
            ]
        })
    func block(_ example: Case) async throws {
        let ledger = MemoryLedger()
        let status = try await Self.run(example.mode, ledger) { port in
            let head = try SignedMessage(body: Self.text).head("Content-Length: \(Self.text.count)")
            let (first, rest) = (Self.text.prefix(4), Self.text.dropFirst(4))
            let steps: [RawExchange.Step] = [
                { head + String(decoding: first, as: UTF8.self) },
                {
                    // The head is judged as soon as it is there.
                    try await Task.sleep(for: .milliseconds(300))
                    if let subject = example.subject {
                        try await ledger.block(
                            LedgerBlock(subject: subject, reason: "test", since: TestAPI.now, until: nil))
                    }
                    return String(decoding: rest, as: UTF8.self)
                },
            ]
            return RawExchange.status(try await RawExchange.send(steps, to: port))
        }
        #expect(status == example.status)
    }

    @Test("An allowance that ends while the body arrives excuses nothing")
    func allowance() async throws {
        let ledger = MemoryLedger()
        let device = LedgerSubject(.device, TestAPI.deviceID)
        try await ledger.allow(
            LedgerAllowance(
                subject: device, checks: [CheckID.approovTokenAudience], reason: "test",
                since: TestAPI.now, until: nil))
        let live = try TestAPI.live(ledger: ledger) { settings in
            settings.messageSigning = MessageSigning(signer: .installation)
            settings.audiences = ["another"]
        }
        let options = TestAPI.options(origins: try ServerOrigins("https://api.example.com"))
        let application = try TestAPI.application(live, options: options)
        for isEnded in [false, true] {
            let found = try await application.test(.live) { client in
                let port = try #require(client.port)
                var message = SignedMessage(body: Self.text)
                message.path = isEnded ? "/orders?b=2" : "/orders?a=1"
                let head = try message.head("Content-Length: \(Self.text.count)")
                let steps: [RawExchange.Step] = [
                    { head },
                    {
                        try await Task.sleep(for: .milliseconds(300))
                        if isEnded { try await ledger.removeStanding(of: device, by: nil, at: TestAPI.now) }
                        return String(decoding: Self.text, as: UTF8.self)
                    },
                ]
                return RawExchange.status(try await RawExchange.send(steps, to: port))
            }
            #expect(isEnded ? [401, 403].contains(found) : found == 200, "\(isEnded): \(found)")
        }
    }

    @Test(
        "A body that does not arrive in its time is answered with 408, and nothing is used up",
        arguments: [
            ("collected", RequestBodyMode.collected(within: .milliseconds(400))),
            ("streamed", .streamed(within: .milliseconds(400))),
        ])
    func slow(_ name: String, _ mode: RequestBodyMode) async throws {
        let ledger = FaultyLedger()
        let statuses = try await Self.run(mode, ledger) { port in
            let head = try SignedMessage(body: Self.text).head("Content-Length: \(Self.text.count)")
            // One byte is missing, and the client waits for the answer.
            let begun = String(decoding: Self.text.dropLast(), as: UTF8.self)
            let slow = try await RawExchange.send([head + begun], to: port)
            let whole = String(decoding: Self.text, as: UTF8.self)
            let next = try await RawExchange.send([head + whole], to: port)
            return [RawExchange.status(slow), RawExchange.status(next)]
        }
        #expect(statuses == [408, 200])
        #expect(ledger.history.count { $0.operation == .commit } == 1)
    }

    @Test("Under annotate too, a slow body ends with 408")
    func slowUnderAnnotate() async throws {
        let status = try await Self.run(
            .collected(within: .milliseconds(400)), MemoryLedger(), enforcement: .annotate
        ) { port in
            let head = try SignedMessage(body: Self.text).head("Content-Length: \(Self.text.count)")
            return RawExchange.status(try await RawExchange.send([head + "{"], to: port))
        }
        #expect(status == 408)
    }
}
