package import AssayCore
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A complete HTTP response.
package struct HTTPAnswer: Sendable {
    /// The status code.
    package let status: Int
    private let headers: HTTPHeaders
    package let body: [UInt8]

    fileprivate init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// How long the server wants no other request, as `Retry-After` says; nil if it does not, or in another form.
    func retryAfter(at now: Date) -> Duration? {
        headers.first(name: "Retry-After").flatMap { RetryAfter.parse($0, now: now) }
    }

    /// The value of a field as sent; nil if it was not sent. If it was sent several times, the values joined by commas
    /// (RFC 9110 section 5.3).
    package func field(_ name: String) -> String? {
        let values = headers[name]
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Status, type and size, for messages.
    package var summary: String {
        let type = headers.first(name: "Content-Type").map { ", \(ServerText.quote($0))" } ?? ""
        return "HTTP \(status)\(type), \(body.count) bytes"
    }
}

/// Why there is no complete answer. Messages contain no part of the request.
package enum HTTPFailure: Error, Sendable {
    /// No connection: the request was not sent. `isOfServer` if the address of the server refuses or does not answer; false if this
    /// machine finds no address, has no network, or does not trust the server's certificate.
    case notConnected(isOfServer: Bool, String)
    /// No answer; the request may have arrived.
    case unanswered(isTimeout: Bool, String)
    /// An answer began, but is incomplete or too long.
    case cut(status: Int, isTimeout: Bool, String)
    /// The task was cancelled.
    case cancelled
    /// The client was shut down.
    case shutDown

    /// The side at fault.
    var side: FailureSide {
        switch self {
        case .notConnected, .unanswered, .cut: .servers
        case .cancelled, .shutDown: .unknown
        }
    }

    /// The code and the sentence of the outage.
    /// - Parameter server: its name, in front of what is known of it; nil for none.
    package func outage(of server: String? = nil) -> (code: OutageCode, message: String) {
        let name = server.map { "\($0): " } ?? ""
        return switch self {
        case .notConnected(_, let reason): (.unreachable, name + reason)
        case .unanswered(let isTimeout, let reason): (isTimeout ? .timeout : .unreachable, name + reason)
        case .cut(let status, let isTimeout, let reason):
            (isTimeout ? .timeout : .unexpectedAnswer, "\(name)HTTP \(status), but \(reason)")
        case .cancelled: (.cancelled, "the task was cancelled")
        case .shutDown: (.shutDown, "the client has been shut down")
        }
    }
}

/// Certificates of the authorities that may vouch for a server.
package struct ServerAuthorities: Sendable {
    fileprivate let certificates: [NIOSSLCertificate]

    /// Reads certificates in PEM; nil if there is none.
    package init?(pem: [UInt8]) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else { return nil }
        self.certificates = certificates
    }
}

/// Sends requests and reads answers within limits of time and size.
///
/// Does not follow redirects: they could send an access token to another server, or come from a captive portal. Does
/// not retry connections: the caller does. AsyncHTTPClient's deadline ends with the head of an answer, so this type
/// enforces the timeout itself.
package final class HTTPExchange: Sendable {
    /// The maximum size of an answer, in bytes.
    package let answerLimit: Int
    private let client: HTTPClient
    private let time: ClientTime
    private let isShutDown = Mutex(false)

    /// Prepares a client. Opens no connection yet.
    ///
    /// - Parameter authorities: who vouches for servers; nil for the authorities of the system.
    package init(
        answerLimit: Int, connectTimeout: Duration, time: ClientTime, authorities: ServerAuthorities? = nil
    ) {
        self.answerLimit = answerLimit
        self.time = time
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(connectTimeout)))
        // Shorter than the server's idle timeout: the server may have decoded the token of a request that was lost on a
        // closing connection.
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.retryConnectionEstablishment = false
        if let authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(authorities.certificates)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(configuration: configuration)
    }

    deinit {
        let (client, wasShutDown) = (client, isShutDown.withLock { $0 })
        if !wasShutDown { Task { try? await client.shutdown() } }
    }

    /// Sends a POST request.
    /// - Parameters:
    ///   - fields: the header fields, printable ASCII.
    ///   - limit: the time limit for the whole answer.
    package func post(
        _ url: String, fields: [(String, String)], body: [UInt8], within limit: Duration
    ) async throws(HTTPFailure) -> HTTPAnswer {
        try await send(.POST, url, fields, body, within: limit)
    }

    /// Sends a GET request.
    /// - Parameters:
    ///   - fields: the header fields, printable ASCII.
    ///   - limit: the time limit for the whole answer.
    package func get(
        _ url: String, fields: [(String, String)], within limit: Duration
    ) async throws(HTTPFailure) -> HTTPAnswer {
        try await send(.GET, url, fields, nil, within: limit)
    }

    private func send(
        _ method: HTTPMethod, _ url: String, _ fields: [(String, String)], _ body: [UInt8]?, within limit: Duration
    ) async throws(HTTPFailure) -> HTTPAnswer {
        if isShutDown.withLock({ $0 }) { throw .shutDown }
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = HTTPHeaders(fields + [("User-Agent", "assay"), ("Accept", "application/json")])
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
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
    package func shutdown() async {
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
            status: Int(response.status.code), headers: response.headers, body: Array(body.readableBytesView))
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
        case let error as NIOConnectionError:
            let errors = error.connectionErrors.map(\.error)
            return .notConnected(
                isOfServer: !errors.isEmpty && errors.allSatisfy(isOfServer), "no connection: \(reason(error))")
        // Thrown instead of NIOConnectionError for a numeric host.
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            return .notConnected(isOfServer: isOfServer(error), "no connection: \(reason(error))")
        // The connection was cut, perhaps after the request was sent.
        case NIOSSLError.uncleanShutdown:
            return .unanswered(isTimeout: false, "the server closed the connection without an answer")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            return .notConnected(
                isOfServer: isOfServer(error), "no connection with TLS: \(ServerText.quote(String(describing: error)))")
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
                return .notConnected(isOfServer: true, "no connection in time")
            default: return .unanswered(isTimeout: false, error.shortDescription)
            }
        default:
            return .unanswered(
                isTimeout: false, "the connection failed: \(ServerText.quote(String(describing: error)))")
        }
    }

    /// Whether a connection failed at the server, and not at this machine's network.
    private static func isOfServer(_ error: any Error) -> Bool {
        switch error {
        case is ChannelError: true
        // A load balancer that passes TLS on, and has no server behind it.
        case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])): true
        case let error as IOError: [ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ETIMEDOUT].contains(error.errnoCode)
        default: false
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
    package var customMirror: Mirror { Mirror(self, children: []) }
}
