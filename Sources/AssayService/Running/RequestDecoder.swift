import NIOCore
import NIOHTTP1

/// Decodes the requests of a connection, also those behind a request with `Upgrade`.
///
/// NIO's decoder stops at the end of such a request, because bytes of the other protocol may follow. A service that speaks no other
/// answers it as any request (RFC 9110, section 7.8), and the next one follows on the connection: Java's `HttpClient` sends
/// `Upgrade: h2c` by default.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private var decoder: HTTPRequestDecoder
    private var isStopped = false

    init(_ limits: NIOHTTPDecoderLimitConfiguration) {
        self.limits = limits
        decoder = Self.make(limits)
    }

    private static func make(_ limits: NIOHTTPDecoderLimitConfiguration) -> HTTPRequestDecoder {
        HTTPRequestDecoder(
            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .drop, limitConfiguration: limits)
    }

    /// Goes on behind the present request. Called when its end is delivered, after which NIO's decoder reads nothing more.
    func restart() { isStopped = true }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        _ = try decoder.decode(context: context, buffer: &buffer)
        while isStopped {
            isStopped = false
            decoder.decoderRemoved(context: context)
            decoder = Self.make(limits)
            decoder.decoderAdded(context: context)
            if buffer.readableBytes > 0 { _ = try decoder.decode(context: context, buffer: &buffer) }
        }
        return .needMoreData
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        _ = try decode(context: context, buffer: &buffer)
        return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
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
