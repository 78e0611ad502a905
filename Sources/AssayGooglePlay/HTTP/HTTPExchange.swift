import AssayCore
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import PlayIntegrity
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Posts requests and reads answers, each in bounded time and space.
///
/// AsyncHTTPClient keeps the connections. It follows no redirects here, since that would carry an access token elsewhere,
/// and tries no connection twice: whoever calls decides that. Its own deadline ends with the head of an answer, so that
/// the time is kept here.
final class HTTPExchange: Sendable {
    /// How many bytes of an answer are read.
    let answerLimit: Int
    private let client: HTTPClient
    private let time: ClientTime
    private let isShutDown = Mutex(false)

    /// Prepares connections; none is made yet.
    init(answerLimit: Int, connectTimeout: Duration, time: ClientTime) {
        self.answerLimit = answerLimit
        self.time = time
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(connectTimeout)))
        // Servers close idle connections; a request that crosses with that is lost, and may have been decoded.
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(configuration: configuration)
    }

    deinit {
        let (client, wasShutDown) = (client, isShutDown.withLock { $0 })
        if !wasShutDown { Task { try? await client.shutdown() } }
    }

    /// Sends a POST request.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - fields: the header fields. Whoever calls sees to it that they are printable ASCII.
    ///   - body: the body.
    ///   - limit: how long it may take, body and all.
    func post(
        _ url: String, fields: [(String, String)], body: [UInt8], within limit: Duration
    ) async throws(HTTPFailure) -> HTTPAnswer {
        if isShutDown.withLock({ $0 }) { throw .shutDown }
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = HTTPHeaders(fields + [("User-Agent", "assay"), ("Accept", "application/json")])
        request.body = .bytes(ByteBuffer(bytes: body))
        let progress = Progress()
        let result = await race(request, progress, within: limit)
        // What comes of a cancelled task may be cut short without an error.
        if Task.isCancelled { throw .cancelled }
        switch result {
        case .success(let answer): return answer
        case .failure(let error):
            if isShutDown.withLock({ $0 }) { throw .shutDown }
            throw HTTPExchange.failure(error, status: progress.status, after: limit)
        }
    }

    /// Ends all connections; requests that are under way fail.
    func shutdown() async {
        let isFirst = isShutDown.withLock { flag in
            defer { flag = true }
            return !flag
        }
        // The only error is that it was shut down before.
        if isFirst { try? await client.shutdown() }
    }

    private func race(
        _ request: HTTPClientRequest, _ progress: Progress, within limit: Duration
    ) async -> Result<HTTPAnswer, any Error> {
        await withTaskGroup(of: Result<HTTPAnswer, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await self.answer(request, progress)) } catch { return .failure(error) }
            }
            group.addTask {
                do { try await self.time.runOut(limit) } catch { return nil }
                return .failure(TimeIsUp())
            }
            defer { group.cancelAll() }
            while let finished = await group.next() {
                if let finished { return finished }
            }
            return .failure(CancellationError())
        }
    }

    private func answer(_ request: HTTPClientRequest, _ progress: Progress) async throws -> HTTPAnswer {
        let response = try await client.execute(request, deadline: .distantFuture)
        progress.status = Int(response.status.code)
        let body = try await response.body.collect(upTo: answerLimit)
        return HTTPAnswer(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"),
            contentType: response.headers.first(name: "Content-Type"), body: Array(body.readableBytesView))
    }

    /// What an error means. Texts of errors are not shown where they may contain header fields.
    private static func failure(_ error: any Error, status: Int?, after time: Duration) -> HTTPFailure {
        let isTimeout = error is TimeIsUp
        if let status {
            let sentence =
                switch error {
                case is TimeIsUp: "the answer was not complete after \(time.inWords)"
                case let error as NIOTooManyBytesError:
                    "the answer has more than \(error.maxBytes.map(String.init) ?? "the allowed") bytes"
                default: "the answer ended before it was complete"
                }
            return .cut(status: status, isTimeout: isTimeout, sentence)
        }
        switch error {
        case is TimeIsUp: return .unanswered(isTimeout: true, "no answer after \(time.inWords)")
        case is CancellationError: return .cancelled
        case let error as NIOConnectionError: return .notConnected("no connection: \(reason(error))")
        // What a numeric host gives in place of the error above.
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            return .notConnected("no connection: \(reason(error))")
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
                return .notConnected("no connection in time")
            default: return .unanswered(isTimeout: false, error.shortDescription)
            }
        default:
            return .unanswered(
                isTimeout: false, "the connection failed: \(ServerText.quote(String(describing: error)))")
        }
    }

    private static func reason(_ error: NIOConnectionError) -> String {
        guard let first = error.connectionErrors.first else { return "\(error.host.excerpt) has no address" }
        if let error = first.error as? IOError { return reason(error) }
        return ServerText.quote(String(describing: first.error))
    }

    /// The system's own sentence: that of the error begins with one on another matter, "connection reset".
    private static func reason(_ error: IOError) -> String { String(cString: strerror(error.errnoCode)) }

    private struct TimeIsUp: Error {}

    /// How far an exchange came, known also when it fails.
    private final class Progress: Sendable {
        private let value = Mutex<Int?>(nil)
        var status: Int? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }
}

extension HTTPExchange: CustomReflectable {
    /// Nothing to look into: connections hold the requests that they last sent, access tokens included.
    var customMirror: Mirror { Mirror(self, children: []) }
}
