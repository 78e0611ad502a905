import AssayCore
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import PlayIntegrity
import Synchronization

/// A complete HTTP response.
struct HTTPAnswer: Sendable {
    /// The status code.
    let status: Int
    /// The `Retry-After` field as sent.
    let retryAfter: String?
    /// The `Content-Type` field as sent.
    let contentType: String?
    /// The body.
    let body: [UInt8]

    /// Status, type and size, for messages.
    var summary: String {
        let type = contentType.map { ", \(ServerText.quote($0))" } ?? ""
        return "HTTP \(status)\(type), \(body.count) bytes"
    }
}

/// Why there is no complete answer. Messages contain nothing of the request.
enum HTTPFailure: Error, Sendable {
    /// No connection: the request was not sent.
    case notConnected(String)
    /// No answer; the request may have arrived.
    case unanswered(isTimeout: Bool, String)
    /// An answer began, but is incomplete or too long.
    case cut(status: Int, isTimeout: Bool, String)
    /// The task was cancelled.
    case cancelled
    /// The client was shut down.
    case shutDown
}

/// Posts requests and reads answers within limits of time and size.
///
/// It does not follow redirects, which could send an access token to another server, and does not retry connections:
/// the caller does. AsyncHTTPClient's deadline ends with the head of an answer, so this type enforces the timeout.
final class HTTPExchange: Sendable {
    /// The most bytes of an answer.
    let answerLimit: Int
    private let client: HTTPClient
    private let time: ClientTime
    private let isShutDown = Mutex(false)

    /// Prepares a client. Opens no connection yet.
    init(answerLimit: Int, connectTimeout: Duration, time: ClientTime) {
        self.answerLimit = answerLimit
        self.time = time
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(connectTimeout)))
        // Shorter than the server's idle timeout: a request lost on a closing connection may have been decoded.
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
    ///   - fields: the header fields, printable ASCII.
    ///   - limit: the time limit for the whole answer.
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
        // In a cancelled task the body may end early without an error.
        if Task.isCancelled { throw .cancelled }
        switch result {
        case .success(let answer): return answer
        case .failure(let error):
            if isShutDown.withLock({ $0 }) { throw .shutDown }
            throw HTTPExchange.failure(error, status: progress.status, after: limit)
        }
    }

    /// Closes all connections. Current requests fail.
    func shutdown() async {
        let isFirst = isShutDown.withLock { flag in
            defer { flag = true }
            return !flag
        }
        // shutdown throws only if called twice.
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

    /// Classifies an error. Omits error texts that may contain header fields.
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
        // Thrown instead of NIOConnectionError for a numeric host.
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

    /// The system's text for an error. The error's own description begins with the name of the failed call.
    private static func reason(_ error: IOError) -> String { String(cString: strerror(error.errnoCode)) }

    private struct TimeIsUp: Error {}

    /// Keeps the status of an answer that began, in case the exchange fails later.
    private final class Progress: Sendable {
        private let value = Mutex<Int?>(nil)
        var status: Int? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }
}

extension HTTPExchange: CustomReflectable {
    /// Empty: connections hold recent requests with access tokens.
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Parses the `Retry-After` field (RFC 9110 section 10.2.3).
enum RetryAfter {
    private static let day = 86_400

    /// The time to wait, at most a day; nil for an invalid value.
    ///
    /// - Parameter field: seconds, or a date (IMF-fixdate, section 5.6.7).
    static func parse(_ field: String, now: Date) -> Duration? {
        let text = field.utf8.drop { $0 == 0x20 }
        if let seconds = number(text[...]) { return .seconds(min(seconds, day)) }
        guard let date = date(Array(text)) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(now)), Double(day)))
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`. Ignores the day name.
    private static func date(_ bytes: [UInt8]) -> Date? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard bytes.count == 29, bytes[3...4].elementsEqual(", ".utf8), bytes[25...].elementsEqual(" GMT".utf8),
            let day = number(bytes[5...6]), let year = number(bytes[12...15]), let hour = number(bytes[17...18]),
            let minute = number(bytes[20...21]), let second = number(bytes[23...24]), hour < 24, minute < 60,
            second < 61,
            let month = months.firstIndex(where: { bytes[8...10].elementsEqual($0.utf8) }),
            let days = RFC3339.daysSince1970(year: year, month: month + 1, day: day)
        else { return nil }
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }
}
