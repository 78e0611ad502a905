import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Security)
    import Security
#endif

/// Sessions of URLSession that follow no redirects, keep no cookies, caches or credentials, and hold to the pins.
///
/// On Linux URLSession shows no certificates: there a host with pins is refused.
public final class URLSessionTransport: HTTPTransport {
    private let sessions: SessionPool
    private let pinning: Pinning?

    /// - Parameters:
    ///   - configuration: an ephemeral one by default. A background session cannot be used: it follows redirects.
    ///   - timeout: seconds without any data.
    ///   - pinning: the pins; nil for none.
    public init(
        configuration: URLSessionConfiguration = .ephemeral, timeout: Double = 30, pinning: Pinning? = nil
    ) {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        configuration.timeoutIntervalForRequest = timeout
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        self.pinning = pinning
        sessions = SessionPool(configuration, pinning)
    }

    /// Sends the request once.
    public func send(_ request: URLRequest, file: URL?, limit: Int?) async throws(TransportFailure) -> HTTPAnswer {
        #if !canImport(Darwin)
            if request.url?.scheme == "https", pinning?.verdict(on: [], of: request.url?.host ?? "") == .refused {
                throw TransportFailure(.unmatched)
            }
        #endif
        let (task, collector) = sessions.task(for: request.url?.host ?? "") { session in
            file.map { session.uploadTask(with: request, fromFile: $0) } ?? session.dataTask(with: request)
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                collector.expect(task.taskIdentifier, limit: limit) { continuation.resume(returning: $0) }
                // A task that was cancelled before may have ended already.
                if task.state == .suspended { task.resume() } else { collector.giveUp(task.taskIdentifier) }
            }
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}

/// A session for each host with pins: HTTP/2 may send a request over the connection of another host, whose certificates were compared
/// with that host's pins alone. Pins of `*` may be for any number of hosts, so the least recently used session ends over the limit.
final class SessionPool: @unchecked Sendable {
    static let limit = 32
    private let configuration: URLSessionConfiguration
    private let pinning: Pinning?
    private let lock = NSLock()
    private var epoch: Pinning.Epoch?
    private var sessions: [String: (URLSession, AnswerCollector)] = [:]
    /// The names of the sessions, the least recently used first.
    private var names: [String] = []

    init(_ configuration: URLSessionConfiguration, _ pinning: Pinning?) {
        (self.configuration, self.pinning) = (configuration, pinning)
    }

    deinit { end() }

    /// Makes a task for a host. Connections of before another configuration are not used any more.
    ///
    /// - Parameter make: called under the lock, because a session that has ended makes no task.
    func task<Made>(for host: String, _ make: (URLSession) -> Made) -> (Made, AnswerCollector) {
        let name = pinning.map { $0.current.pins(of: host).isEmpty ? "" : host.lowercased() } ?? ""
        return lock.withLock {
            if epoch != pinning?.epoch {
                end()
                (epoch, sessions, names) = (pinning?.epoch, [:], [])
            }
            names.removeAll { $0 == name }
            names.append(name)
            if names.count > Self.limit {
                sessions.removeValue(forKey: names.removeFirst())?.0.finishTasksAndInvalidate()
            }
            let (session, collector) = sessions[name] ?? begin(name)
            return (make(session), collector)
        }
    }

    private func begin(_ name: String) -> (URLSession, AnswerCollector) {
        let collector = AnswerCollector(pinning)
        let new = (URLSession(configuration: configuration, delegate: collector, delegateQueue: nil), collector)
        sessions[name] = new
        return new
    }

    private func end() { for (session, _) in sessions.values { session.finishTasksAndInvalidate() } }
}

/// Collects the answers of a session's tasks.
final class AnswerCollector: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Expected {
        var limit: Int?
        var finish: @Sendable (Result<HTTPAnswer, TransportFailure>) -> Void
        var body = Data()
        var isTooLong = false
        var isUnmatched = false
        var sendings = 0
        var hasBegun = false
    }

    private let pinning: Pinning?
    private let lock = NSLock()
    private var expected: [Int: Expected] = [:]

    init(_ pinning: Pinning?) { self.pinning = pinning }

    func expect(
        _ task: Int, limit: Int?, finish: @escaping @Sendable (Result<HTTPAnswer, TransportFailure>) -> Void
    ) {
        lock.withLock { expected[task] = Expected(limit: limit, finish: finish) }
    }

    /// Ends a task that was never resumed.
    func giveUp(_ task: Int) {
        lock.withLock { expected.removeValue(forKey: task) }?.finish(
            .failure(TransportFailure("cancelled", mayHaveBeenSent: false)))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock {
            guard var task = expected[dataTask.taskIdentifier] else { return false }
            task.isTooLong = task.isTooLong || task.body.count + data.count > task.limit ?? .max
            // Without a second reference the body grows in place.
            expected[dataTask.taskIdentifier] = nil
            if !task.isTooLong { task.body.append(data) }
            expected[dataTask.taskIdentifier] = task
            return task.isTooLong
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The signature covers the URL.
        completionHandler(nil)
    }

    #if canImport(Security)
        // For each new connection. Without the method of the session, URLSession calls this one, which knows the task. Objective-C finds
        // it by its name, whatever the SDK says of its parameters.
        #if canImport(ObjectiveC)
            @objc(URLSession:task:didReceiveChallenge:completionHandler:)
        #endif
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, !space.isProxy(),
                let pinning, let trust = space.serverTrust, SecTrustEvaluateWithError(trust, nil)
                // What the system refuses, it refuses by itself.
            else { return completionHandler(.performDefaultHandling, nil) }
            let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
            let certificates = chain.map { Data(referencing: SecCertificateCopyData($0) as NSData) }
            guard pinning.verdict(on: certificates, of: space.host) == .refused else {
                return completionHandler(.performDefaultHandling, nil)
            }
            lock.withLock { expected[task.taskIdentifier]?.isUnmatched = true }
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        lock.withLock {
            expected[task.taskIdentifier]?.sendings = metrics.transactionMetrics.count
            expected[task.taskIdentifier]?.hasBegun = metrics.transactionMetrics.contains { $0.requestStartDate != nil }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let expected = lock.withLock({ expected.removeValue(forKey: task.taskIdentifier) }) else { return }
        if !expected.isTooLong, error == nil, let response = task.response as? HTTPURLResponse {
            let answer = HTTPAnswer(response: response, body: expected.body, wasResent: expected.sendings > 1)
            return expected.finish(.success(answer))
        }
        let wasSent = expected.hasBegun || expected.sendings > 1
        let failure =
            expected.isTooLong
            ? TransportFailure("too-long", mayHaveBeenSent: true)
            : expected.isUnmatched
                ? TransportFailure(.unmatched, mayHaveBeenSent: wasSent)
                : TransportFailure(urlError: error.map { ($0 as NSError).code } ?? 0, wasSent: wasSent)
        expected.finish(.failure(failure))
    }
}

extension TransportFailure {
    /// - Parameters:
    ///   - code: of URLSession, for the last of its attempts.
    ///   - wasSent: whether it is known that some attempt has begun to send.
    init(urlError code: Int, wasSent: Bool) {
        self.init(
            code == NSURLErrorCancelled ? "cancelled" : "url:\(code)",
            mayHaveBeenSent: wasSent || !Self.codesBeforeSending.contains(code))
    }

    /// Errors after which the server has certainly received nothing of this attempt.
    private static let codesBeforeSending: Set<Int> = [
        NSURLErrorCannotFindHost, NSURLErrorCannotConnectToHost, NSURLErrorDNSLookupFailed,
        NSURLErrorNotConnectedToInternet, NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive,
        NSURLErrorDataNotAllowed, NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateHasBadDate,
        NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot,
        NSURLErrorServerCertificateNotYetValid, NSURLErrorClientCertificateRejected, NSURLErrorBadURL,
        NSURLErrorUnsupportedURL, NSURLErrorAppTransportSecurityRequiresSecureConnection,
    ]
}
