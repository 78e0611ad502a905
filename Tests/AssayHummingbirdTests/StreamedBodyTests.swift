import Approov
import Assay
import AssayHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// The body as a handler received it.
private final class Received: Sendable {
    let parts = Mutex<[String]>([])
    let problem = Mutex<StreamedBodyError?>(nil)
    let check = Mutex<StreamedBodyCheck?>(nil)
}

@Suite("Bodies that are checked while a handler reads them", .timeLimit(.minutes(20)))
struct StreamedBodyTests {
    private static let text = "{\"hello\":\"world\"}"

    /// Sends a body in chunks to a handler that acts on each part.
    private func received(
        _ parts: [String], enforcement: ApproovEnforcement = .reject
    ) async throws -> (Received, answer: String) {
        let received = Received()
        let live = try TestAPI.live { settings in
            settings.messageSigning = MessageSigning(signer: .installation)
            settings.enforcement = enforcement
        }
        let options = TestAPI.options(origins: try ApproovOrigins("https://api.example.com")) {
            $0.body = .streamed()
        }
        let router = Router(context: BasicApproovRequestContext.self)
        router.add(middleware: try ApproovMiddleware(live, options: options))
        router.post("upload") { request, context in
            received.check.withLock { $0 = context.approov?.body }
            do {
                for try await part in request.body {
                    received.parts.withLock { $0.append(String(buffer: part)) }
                }
            } catch let error as StreamedBodyError {
                received.problem.withLock { $0 = error }
                throw error
            }
            return "stored"
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
        let head = try SignedMessage(path: "/upload", body: Array(Self.text.utf8)).head("Transfer-Encoding: chunked")
        let chunks = parts.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" } + ["0\r\n\r\n"]
        let answer = try await application.test(.live) { client in
            let port = try #require(client.port)
            return try await RawExchange.send([head] + chunks, to: port, waits: true)
        }
        return (received, answer)
    }

    @Test("Parts are forwarded as they arrive, the last one after the digests match")
    func matching() async throws {
        let (received, answer) = try await received(["{\"hello\"", ":\"wor", "ld\"}"])
        #expect(received.parts.withLock { $0.joined() } == Self.text)
        #expect(received.parts.withLock { $0.count } == 3)
        #expect(received.check.withLock { $0?.status } == .matches)
        #expect(answer.hasSuffix("stored"))
    }

    @Test("The last part of a body that was changed never comes, and no answer of the handler gets out")
    func changed() async throws {
        let (received, answer) = try await received(["{\"hello\"", ":\"wor", "LD\"}"])
        #expect(!received.parts.withLock { $0.joined() }.contains("LD"))
        #expect(received.parts.withLock { $0.count } == 2)
        #expect(received.problem.withLock { $0?.status } == .differs)
        #expect(received.check.withLock { $0?.status } == .differs)
        #expect(RawExchange.status(answer) == 401)
        #expect(!answer.contains("stored"))
    }

    @Test("Under annotate, the whole body is forwarded, and the check fails at the end")
    func annotated() async throws {
        let (received, answer) = try await received(["{\"hello\"", ":\"wor", "LD\"}"], enforcement: .annotate)
        #expect(received.parts.withLock { $0.joined() } == "{\"hello\":\"worLD\"}")
        #expect(received.check.withLock { $0?.status } == .differs)
        #expect(answer.hasSuffix("stored"))
    }
}
