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
        configuration.timeoutIntervalForRequest = timeout
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
                task.resume()
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
        var response: HTTPURLResponse?
        var body = Data()
        var isTooLong = false
        var sendings = 0
    }

    private let lock = NSLock()
    private var expected: [Int: Expected] = [:]

    func expect(
        _ task: Int, limit: Int?, finish: @escaping @Sendable (Result<HTTPAnswer, TransportFailure>) -> Void
    ) {
        lock.withLock { expected[task] = Expected(limit: limit, finish: finish) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        lock.withLock { expected[dataTask.taskIdentifier]?.response = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock {
            guard let limit = expected[dataTask.taskIdentifier]?.limit,
                (expected[dataTask.taskIdentifier]?.body.count ?? 0) + data.count > limit
            else {
                expected[dataTask.taskIdentifier]?.body.append(data)
                return false
            }
            expected[dataTask.taskIdentifier]?.isTooLong = true
            return true
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The signature covers the URL.
        lock.withLock { expected[task.taskIdentifier]?.response = response }
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        lock.withLock { expected[task.taskIdentifier]?.sendings = metrics.transactionMetrics.count }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let expected = lock.withLock({ expected.removeValue(forKey: task.taskIdentifier) }) else { return }
        if expected.isTooLong {
            expected.finish(.failure(TransportFailure("too-long", mayHaveBeenSent: true)))
        } else if let error {
            let code = (error as NSError).code
            expected.finish(
                .failure(
                    TransportFailure(
                        code == NSURLErrorCancelled ? "cancelled" : "url:\(code)",
                        mayHaveBeenSent: !Self.codesBeforeSending.contains(code))))
        } else if let response = expected.response ?? task.response as? HTTPURLResponse {
            expected.finish(
                .success(HTTPAnswer(response: response, body: expected.body, wasResent: expected.sendings > 1)))
        } else {
            expected.finish(.failure(TransportFailure("no-http", mayHaveBeenSent: true)))
        }
    }

    /// Errors after which the server has certainly received nothing.
    private static let codesBeforeSending: Set<Int> = [
        NSURLErrorCannotFindHost, NSURLErrorCannotConnectToHost, NSURLErrorDNSLookupFailed,
        NSURLErrorNotConnectedToInternet, NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive,
        NSURLErrorDataNotAllowed, NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateHasBadDate,
        NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot,
        NSURLErrorServerCertificateNotYetValid, NSURLErrorClientCertificateRejected, NSURLErrorBadURL,
        NSURLErrorUnsupportedURL, NSURLErrorAppTransportSecurityRequiresSecureConnection,
    ]
}
