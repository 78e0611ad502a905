import NIOCore
import NIOHTTP1

/// Decodes the requests of a connection, also those behind a request with `Upgrade`.
///
/// Plain requests are read here and given to the gate at once: NIO's decoder would make texts of all names, arrays of both, and box
/// each part for the pipeline. From the first other request of a connection on, NIO's decoder reads, alone.
///
/// NIO's decoder stops at the end of a request with `Upgrade`, because bytes of the other protocol may follow. A service that speaks
/// no other answers it as any request (RFC 9110, section 7.8), and the next one follows on the connection: Java's `HttpClient` sends
/// `Upgrade: h2c` by default.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    /// The gate of the connection, until it is removed.
    var gate: RequestGate?
    private let limits: NIOHTTPDecoderLimitConfiguration
    private var names = FieldNames()
    /// How many bytes of the body of a plain request are to come.
    private var remaining = 0
    /// How often the head of the present request was incomplete. Each time it is read from its beginning.
    private var attempts = 0
    /// After as many, NIO's decoder reads it, which goes on where it was.
    private static let attempts = 8
    /// NIO's decoder, once there was a request that is not plain.
    private var decoder: HTTPRequestDecoder?
    private var isStopped = false

    init(_ limits: NIOHTTPDecoderLimitConfiguration) { self.limits = limits }

    /// Goes on behind the present request. Called when its end is delivered, after which NIO's decoder reads nothing more.
    func restart() { isStopped = true }

    /// A part that NIO's decoder has read.
    func part(_ read: HTTPServerRequestPart) -> RequestPart {
        switch read {
        case .head(let head): .head(ReceivedHead(head, &names))
        case .body(let bytes): .body(bytes)
        case .end: .end
        }
    }

    func decoderRemoved(context: ChannelHandlerContext) {
        decoder.take()?.decoderRemoved(context: context)
        gate = nil
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        // NIO's decoder would keep all that follows a request with `Upgrade` whose connection ends.
        if gate?.dropsInput == true {
            buffer.moveReaderIndex(to: buffer.writerIndex)
            return .needMoreData
        }
        while decoder == nil, buffer.readableBytes > 0 {
            do throws(PlainRequest.Obstacle) { try readPlainly(&buffer) } catch {
                attempts += 1
                let mayWait = attempts < Self.attempts && buffer.readableBytes < limits.maxHeaderListSize
                if error == .incomplete, mayWait {
                    buffer.shrink()
                    return .needMoreData
                }
                start(context)
            }
        }
        guard let decoder else { return .needMoreData }
        _ = try decoder.decode(context: context, buffer: &buffer)
        while isStopped {
            isStopped = false
            self.decoder.take()?.decoderRemoved(context: context)
            let next = start(context)
            if buffer.readableBytes > 0 { _ = try next.decode(context: context, buffer: &buffer) }
        }
        return .needMoreData
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        _ = try decode(context: context, buffer: &buffer)
        if decoder == nil, buffer.readableBytes > 0 {
            // What is incomplete stays so: NIO's decoder says what is wrong.
            start(context)
            _ = try decode(context: context, buffer: &buffer)
        }
        if let decoder { return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF) }
        if seenEOF, remaining > 0 { throw HTTPParserError.invalidEOFState }
        return .needMoreData
    }

    @discardableResult
    private func start(_ context: ChannelHandlerContext) -> HTTPRequestDecoder {
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .drop, limitConfiguration: limits)
        decoder.decoderAdded(context: context)
        self.decoder = decoder
        return decoder
    }

    /// Reads what there is of a body, or the head of the next request.
    private func readPlainly(_ buffer: inout ByteBuffer) throws(PlainRequest.Obstacle) {
        if remaining > 0 {
            guard let part = buffer.readSlice(length: min(remaining, buffer.readableBytes)) else { return }
            remaining -= part.readableBytes
            gate?.receive(.body(part))
        } else {
            let request = try PlainRequest(buffer.readableBytesUInt8Span, &names, limits)
            attempts = 0
            buffer.moveReaderIndex(forwardBy: request.headLength)
            remaining = request.bodyLength
            gate?.receive(.head(ReceivedHead(plain: request.head)))
        }
        if remaining == 0 { gate?.receive(.end) }
    }
}

/// A part of a request, as the gate takes it.
enum RequestPart {
    case head(ReceivedHead)
    case body(ByteBuffer)
    case end
}

/// The head of a request, and what it means for the connection.
struct ReceivedHead {
    /// Nil for a head that servers do not read alike.
    let request: RequestHead?
    let isHead: Bool
    /// Whether the client knows chunks, as from HTTP/1.1 on (RFC 9112, section 6.1).
    let hasChunks: Bool
    /// Whether no request may follow. After an unusual `Connection`, it is not certain where NIO's parser goes on.
    let isLast: Bool
    /// Whether it asks for another protocol, so that NIO's decoder stops.
    let isUpgrade: Bool

    init(_ head: HTTPRequestHead, _ names: inout FieldNames) {
        request = RequestHead(head, &names)
        isHead = head.method == .HEAD
        hasChunks = head.version != .http1_0
        isLast = !head.isKeepAlive || head.headers.asksUpgrade == nil
        isUpgrade = head.method == .CONNECT || head.headers.asksUpgrade == true
    }

    /// The head of a plain request.
    init(plain request: RequestHead) {
        self.request = request
        (isHead, hasChunks, isLast, isUpgrade) = (false, true, false, false)
    }
}

extension HTTPHeaders {
    /// Whether NIO's parser takes a request for the last one before another protocol; nil for values of `Connection` that other
    /// parsers may read in another way.
    var asksUpgrade: Bool? {
        guard contains(name: "Upgrade") else { return false }
        let protocols = self["Upgrade"]
        // NIO's parser reads both fields alike.
        let options = (self["Connection"] + self["Proxy-Connection"]).flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        .map { $0.drop { $0 == " " }.lowercased() }
        let isUsual = options.allSatisfy {
            !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        }
        return isUsual && !protocols.contains("") ? options.contains("upgrade") : nil
    }
}
