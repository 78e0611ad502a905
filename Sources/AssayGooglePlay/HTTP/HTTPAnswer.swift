import PlayIntegrity

/// What a server answered, whole.
struct HTTPAnswer: Sendable {
    /// The status code.
    let status: Int
    /// The field `Retry-After`, as sent.
    let retryAfter: String?
    /// The field `Content-Type`, as sent.
    let contentType: String?
    /// The body.
    let body: [UInt8]

    /// Status and type, for messages: what a person needs to see that something else than the server answered.
    var summary: String {
        let type = contentType.map { ", \(ServerText.quote($0))" } ?? ""
        return "HTTP \(status)\(type), \(body.count) bytes"
    }
}

/// Why there is no whole answer. The sentences show nothing of what was sent.
enum HTTPFailure: Error, Sendable {
    /// No connection: the request was certainly not sent.
    case notConnected(String)
    /// Whether the request arrived is not known, and nothing of an answer came.
    case unanswered(isTimeout: Bool, String)
    /// An answer began and did not end as it should.
    case cut(status: Int, isTimeout: Bool, String)
    /// The task was cancelled.
    case cancelled
    /// The client was shut down.
    case shutDown
}
