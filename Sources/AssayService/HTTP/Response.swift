import HTTPTypes
import NIOCore

/// An answer. The connection adds `Date`, and `Content-Length` where the body is there whole.
struct Response: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    let body: ResponseBody

    init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: ResponseBody = .whole(ByteBuffer())) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

enum ResponseBody: Sendable {
    case whole(ByteBuffer)
    /// Written while it is made. An error cuts the connection.
    case stream(@Sendable (ResponseWriter) async throws -> Void)
}

/// Writes a body while it is made, from any executor.
struct ResponseWriter: Sendable {
    fileprivate let handler: NIOLoopBound<RequestHandler>

    init(_ handler: NIOLoopBound<RequestHandler>) { self.handler = handler }

    /// Writes a part. Returns when the client has taken enough of what was written before.
    ///
    /// - Throws: `ChannelError` when the connection is closed.
    func write(_ part: ByteBuffer) async throws {
        try await withCheckedThrowingContinuation { continuation in
            handler.eventLoop.execute { handler.value.write(part, continuation) }
        }
    }
}
