import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session of URLSession that follows no redirects and keeps no cookies, caches or credentials.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let collector = AnswerCollector()

    /// - Parameters:
    ///   - configuration: an ephemeral one by default. A background session cannot be used: it follows redirects.
    ///   - timeout: seconds without any data.
    public init(configuration: URLSessionConfiguration = .ephemeral, timeout: Double = 30) {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        configuration.timeoutIntervalForRequest = timeout
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends the request once.
    public func send(_ request: URLRequest, file: URL?, limit: Int?) async throws(TransportFailure) -> HTTPAnswer {
        let task = file.map { session.uploadTask(with: request, fromFile: $0) } ?? session.dataTask(with: request)
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

/// Collects the answers of a session's tasks.
private final class AnswerCollector: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Expected {
        var limit: Int?
        var finish: @Sendable (Result<HTTPAnswer, TransportFailure>) -> Void
        var body = Data()
        var isTooLong = false
        var sendings = 0
        var hasBegun = false
    }

    private let lock = NSLock()
    private var expected: [Int: Expected] = [:]

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
        let failure =
            expected.isTooLong
            ? TransportFailure("too-long", mayHaveBeenSent: true)
            : TransportFailure(
                urlError: error.map { ($0 as NSError).code } ?? 0,
                wasSent: expected.hasBegun || expected.sendings > 1)
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
