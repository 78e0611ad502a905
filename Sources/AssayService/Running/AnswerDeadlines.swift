import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes the connection of a client that stops reading its answer, or that keeps sending its body after the answer.
/// Hummingbird limits neither.
final class AnswerDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long a client may send after its answer. It needs this time to read the answer: a connection that is closed with unread
    /// bytes loses what was sent on it.
    private static let lingering = TimeAmount.seconds(2)

    /// How long a client may take no part of its answer.
    private let stall: TimeAmount
    private var requestsEnded = 0
    private var answersEnded = 0
    private var isClosing = false
    private var stalled: Scheduled<Void>?
    private var overlong: Scheduled<Void>?

    /// - Parameter stall: how long a client may take no part of its answer.
    init(stall: TimeAmount) { self.stall = stall }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            requestsEnded += 1
            if requestsEnded >= answersEnded, !isClosing { overlong.take()?.cancel() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): isClosing = isClosing || head.headerFields[.connection] == "close"
        case .body: break
        case .end:
            answersEnded += 1
            if overlong == nil, isClosing || requestsEnded < answersEnded {
                return writeLast(context, data, promise ?? context.eventLoop.makePromise())
            }
        }
        context.write(data, promise: promise)
    }

    /// Writes the end of the last answer. The connection closes only after the system has taken all bytes; otherwise a
    /// slow client would lose the rest.
    private func writeLast(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>) {
        overlong = close(context, in: stall)
        promise.futureResult.assumeIsolated().whenSuccess { [self] in
            guard let waiting = overlong else { return }
            waiting.cancel()
            overlong = close(context, in: Self.lingering)
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stalled.take()?.cancel()
        if !context.channel.isWritable { stalled = close(context, in: stall) }
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stalled.take()?.cancel()
        overlong.take()?.cancel()
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }
}
