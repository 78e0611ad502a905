import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests. An app with a session or an HTTP library of its own writes another, which asks ``Pinning/verdict(on:of:)``.
public protocol HTTPTransport: Sendable {
    /// Sends the request as it is, once, and follows no redirect.
    ///
    /// - Parameters:
    ///   - request: the final request. The method, the URL and the body are signed: they may not be changed.
    ///   - file: the body of an upload; nil if the body is in the request.
    ///   - limit: the greatest length of the answer's body in bytes; nil for none.
    /// - Throws: ``TransportFailure`` if there is no whole answer.
    func send(_ request: URLRequest, file: URL?, limit: Int?) async throws(TransportFailure) -> HTTPAnswer
}

/// An answer, of any status.
public struct HTTPAnswer: Sendable {
    /// Status and fields.
    public let response: HTTPURLResponse
    /// The body.
    public let body: Data
    /// Whether the request may have been sent more than once, as URLSession does after some faults of a connection.
    public let wasResent: Bool

    /// A whole answer.
    public init(response: HTTPURLResponse, body: Data, wasResent: Bool = false) {
        self.response = response
        self.body = body
        self.wasResent = wasResent
    }
}

/// Why there is no whole answer.
public struct TransportFailure: Error, Sendable, Equatable {
    /// `url:-1009` with the code of URLSession, `too-long`, `cancelled`, `pins` if no certificate has a pin.
    public let code: String
    /// Whether the server may have received the request.
    public let mayHaveBeenSent: Bool

    /// `mayHaveBeenSent` is true if it is unknown.
    public init(_ code: String, mayHaveBeenSent: Bool) {
        self.code = code
        self.mayHaveBeenSent = mayHaveBeenSent
    }
}
