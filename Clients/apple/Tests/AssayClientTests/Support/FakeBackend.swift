import Foundation
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Returns when the condition holds. After 300 seconds, or when the task is cancelled, it records an issue and returns.
func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, until holds: () async -> Bool
) async {
    let end = ContinuousClock.now + .seconds(300)
    while await !holds() {
        guard ContinuousClock.now < end, (try? await Task.sleep(nanoseconds: 1_000_000)) != nil else {
            Issue.record("waited in vain for \(what)", sourceLocation: sourceLocation)
            return
        }
    }
}

/// A backend that accepts everything, but for what a test says.
final class FakeBackend: HTTPTransport, @unchecked Sendable {
    private let lock = NSLock()
    private var answers: [String: [Result<HTTPAnswer, TransportFailure>]] = [:]
    private var received: [URLRequest] = []
    private var challenges: [String] = []
    private var held: Set<String> = []

    /// The next request of this path gets this.
    func next(
        _ path: String, _ status: Int, _ body: String = "{}", _ fields: [String: String] = [:], resent: Bool = false
    ) throws {
        let answer = try Relay.answer(status, body, fields)
        lock.withLock {
            answers[path, default: []].append(
                .success(HTTPAnswer(response: answer.response, body: answer.body, wasResent: resent)))
        }
    }

    /// The next request of this path gets no answer.
    func fail(_ path: String, _ code: String = "url:-1005", sent: Bool) {
        lock.withLock { answers[path, default: []].append(.failure(TransportFailure(code, mayHaveBeenSent: sent))) }
    }

    /// Requests of this path get no answer until ``release(_:)``, or their task is cancelled.
    func hold(_ path: String) { lock.withLock { _ = held.insert(path) } }

    func release(_ path: String) { lock.withLock { _ = held.remove(path) } }

    /// Returns when so many requests of this path have come.
    func wait(for count: Int, of path: String) async {
        await AssayClientTests.wait("\(count) requests of \(path)") { requests(path).count >= count }
    }

    func requests(_ path: String) -> [URLRequest] { lock.withLock { received.filter { $0.url?.path == path } } }

    /// All that was given out.
    var secrets: [String] { lock.withLock { challenges } }

    func send(_ request: URLRequest, file: URL?, limit: Int?) async throws(TransportFailure) -> HTTPAnswer {
        let path = request.url?.path ?? ""
        let (scripted, count) = lock.withLock { () -> (Result<HTTPAnswer, TransportFailure>?, Int) in
            received.append(request)
            let scripted = answers[path]?.isEmpty == false ? answers[path]?.removeFirst() : nil
            return (scripted, received.count)
        }
        while lock.withLock({ held.contains(path) }) {
            guard (try? await Task.sleep(nanoseconds: 1_000_000)) != nil else {
                throw TransportFailure("cancelled", mayHaveBeenSent: true)
            }
        }
        if let scripted { return try scripted.get() }
        let end = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 300))
        switch path {
        case "/challenges":
            let challenge = "challenge-\(count)"
            lock.withLock { challenges.append(challenge) }
            return try Relay.answer(201, #"{"challenge": "\#(challenge)", "expiresAt": "\#(end)"}"#)
        case "/enrolments": return try Relay.answer(200, #"{"outcome": "accept"}"#)
        case "/tokens":
            let token = "token-\(count)"
            lock.withLock { challenges.append(token) }
            return try Relay.answer(201, #"{"token": "\#(token)", "tokenType": "DPoP", "expiresIn": 300}"#)
        case "/secrets":
            guard let body = request.httpBody, let sealed = SecretSealer(number: count).answer(to: body) else {
                return try Relay.answer(400, #"{"code": "unreadable-request"}"#)
            }
            return try Relay.answer(200, sealed)
        default: return try Relay.answer(200, "{}")
        }
    }
}
