import HTTPTypes
import NIOCore
import NIOHTTP1

/// An answer. The connection adds `Date`, `Connection`, and what says where the body ends.
struct Response: Sendable {
    var status: HTTPResponse.Status
    /// Fields in front of `headers`, as lines of the head.
    let lines: [UInt8]
    var headers: HTTPFields
    let body: ResponseBody
    /// The value of `X-Request-ID`; nil for no field.
    var id: RequestID?
    /// Whether the connection ends after the answer.
    var isLast = false

    init(
        status: HTTPResponse.Status, lines: [UInt8] = [], headers: HTTPFields = [:],
        body: ResponseBody = .whole(ByteBuffer())
    ) {
        (self.status, self.lines, self.headers, self.body) = (status, lines, headers, body)
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

extension Response {
    /// Whether the status allows a body, and fields that say where it ends (RFC 9110, section 6.4.1).
    var mayHaveBody: Bool { status.code >= 200 && status.code != 204 && status.code != 304 }

    /// The longest body that is copied behind the head, to be sent with it. Answers may share a longer one.
    private static let longestCopy = 4096

    /// The bytes of an answer that is there whole, and those behind them, if its body is long.
    ///
    /// - Parameters:
    ///   - isHead: whether the request was `HEAD`, whose answer has the length of the body, and no body.
    ///   - date: the line of `Date`; empty for none.
    ///   - isLast: whether the connection ends after the answer.
    func bytes(
        with body: ByteBuffer, isHead: Bool, date: [UInt8], isLast: Bool
    ) -> (ByteBuffer, rest: ByteBuffer?) {
        let sent = isHead || !mayHaveBody ? 0 : body.readableBytes
        let copied = sent <= Self.longestCopy ? sent : 0
        let head = head(length: body.readableBytes, date: date, isLast: isLast)
        guard copied > 0 else { return (ByteBuffer(bytes: head), sent > 0 ? body : nil) }
        var bytes = ByteBuffer()
        bytes.reserveCapacity(head.count + copied)
        bytes.writeBytes(head)
        bytes.writeImmutableBuffer(body)
        return (bytes, nil)
    }

    /// The head (RFC 9112), with the empty line at its end. `HTTPFields` has no illegal name or value, and `lines` are ours.
    ///
    /// - Parameters:
    ///   - length: the length of the body; nil for a stream.
    ///   - hasChunks: whether a stream is in chunks, or ends with the connection.
    func head(
        length: Int?, date: [UInt8], isLast: Bool, hasChunks: Bool = true
    ) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(256 + lines.count)
        if status.code == 200 {
            head.append("HTTP/1.1 200 OK\r\n")
        } else {
            let known = HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase)
            head.append(text: "HTTP/1.1 \(known.code) \(known.reasonPhrase)\r\n")
        }
        if let length, mayHaveBody {
            head.append("Content-Length: ")
            head.append(decimal: length)
            head.append("\r\n")
        }
        head.append(contentsOf: lines)
        for index in headers.indices {
            head.append(text: headers[index].name.rawName)
            head.append(": ")
            head.append(text: headers[index].value)
            head.append("\r\n")
        }
        if let id {
            head.append("X-Request-ID: ")
            id.append(to: &head)
            head.append("\r\n")
        }
        head.append(contentsOf: date)
        if isLast { head.append("Connection: close\r\n") }
        if length == nil, mayHaveBody, hasChunks { head.append("transfer-encoding: chunked\r\n") }
        head.append("\r\n")
        return head
    }
}
