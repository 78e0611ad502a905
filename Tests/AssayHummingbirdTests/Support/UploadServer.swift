import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayTestSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// A server whose handlers read streamed bodies, and what they have seen.
final class UploadServer: Sendable {
    /// What one call of a handler has seen.
    struct Call: Sendable {
        var parts: [String] = []
        /// The outcome before the first part, and after the end.
        var outcomes: [String] = []
        var problem: StreamedBodyError?
    }

    static let text = "{\"hello\":\"world\"}"

    private let held = Mutex<[Call]>([])

    var calls: [Call] { held.withLock { $0 } }

    /// Waits until the handlers have seen something.
    func waits(until condition: @Sendable ([Call]) -> Bool) async throws {
        try await waitUntil("what the handlers see: \(calls)") { condition(calls) }
    }

    /// Runs `body` with the port of a server.
    ///
    /// - `/upload` reads the body and answers `stored`; `/careless` ignores its errors; `/ignore` does not read it;
    /// - `/half` reads one part; `/throw` and `/refuse` read one part and fail.
    @discardableResult
    func run<Value: Sendable>(
        ledger: any Ledger = MemoryLedger(), enforcement: Enforcement = .reject,
        options change: (inout EvidenceMiddlewareOptions) -> Void = { _ in },
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let live = try TestAPI.live(ledger: ledger) { settings in
            settings.messageSigning = MessageSigning(signer: .installation)
            settings.enforcement = enforcement
        }
        let options = TestAPI.options(origins: try ServerOrigins("https://api.example.com")) {
            $0.body = .streamed(upTo: 1000)
            change(&$0)
        }
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: try EvidenceMiddleware(live, options: options))
        router.post("upload") { request, context in
            try await self.read(request, context)
            return "stored"
        }
        router.post("careless") { request, context in
            try? await self.read(request, context)
            return "stored"
        }
        router.post("ignore") { _, _ in "stored" }
        router.post("half") { request, context in
            try await self.read(request, context, atMost: 1)
            return "stored"
        }
        router.post("throw") { request, context -> String in
            try await self.read(request, context, atMost: 1)
            throw CancellationError()
        }
        router.post("refuse") { request, context in
            try await self.read(request, context, atMost: 1)
            return HTTPResponse.Status.conflict
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
        return try await application.test(.live) { client in try await body(#require(client.port)) }
    }

    private func read(
        _ request: Request, _ context: BasicEvidenceRequestContext, atMost count: Int = .max
    ) async throws {
        let index = held.withLock { calls in
            calls.append(Call())
            return calls.count - 1
        }
        func note() { held.withLock { $0[index].outcomes.append(context.judged?.outcome.word ?? "-") } }
        note()
        defer { note() }
        do {
            for try await part in request.body {
                let parts = held.withLock { calls in
                    calls[index].parts.append(String(buffer: part))
                    return calls[index].parts.count
                }
                if parts >= count { break }
            }
        } catch let error as StreamedBodyError {
            held.withLock { $0[index].problem = error }
            throw error
        }
    }

    // MARK: Requests

    /// The steps of a chunked request with the signature of ``text``.
    static func steps(_ parts: [String], path: String = "/upload") throws -> [RawExchange.Step] {
        let head = try SignedMessage(path: path, body: Array(text.utf8)).head("Transfer-Encoding: chunked")
        let chunks = parts.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" } + ["0\r\n\r\n"]
        return ([head] + chunks).map { part in
            {
                // So that the server reads parts one by one.
                try await Task.sleep(for: .milliseconds(30))
                return part
            }
        }
    }

    /// Sends a request, and returns the status and the answer.
    static func send(
        _ parts: [String], path: String = "/upload", to port: Int
    ) async throws -> (status: Int, answer: String) {
        let answer = try await RawExchange.send(steps(parts, path: path), to: port)
        return (RawExchange.status(answer), answer)
    }

    /// The parts of the signed body, and those of another body.
    static let signed = ["{\"hello\"", ":\"wor", "ld\"}"]
    static let forged = ["{\"hello\"", ":\"wor", "LD\"}"]
}
