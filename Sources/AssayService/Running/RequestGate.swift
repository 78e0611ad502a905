import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOSSL

/// Lets the requests of a connection through, one at a time, and ends the connection so that each request that it let through is
/// answered, and no other is judged.
///
/// An end takes three steps: the last answer is handed to the system, the output is closed, and what the client still sends is
/// dropped for a moment. A connection that is closed with unread bytes loses answers that the client has not read. With TLS, NIO
/// delivers requests until the client has confirmed the end; their answers could not be sent.
final class RequestGate: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = IOData

    /// The settings of a listener's gates.
    struct Rules: Sendable {
        /// How long a connection may be idle, and how long a client may take no part of its answer.
        var idleTime: TimeAmount
        /// Whether answers ask the client to connect anew, because the service will stop.
        var isLeaving: @Sendable () -> Bool
        /// Whether no further request is let through, because the service stops.
        var isStopping: @Sendable () -> Bool
        /// The answer to the first request on a connection beyond the limit.
        var refusal: Response
        let connections: ConnectionTable
    }

    /// What waits until the present answer has ended.
    private enum Held {
        case part(RequestPart)
        case error(any Error)
        case inputClosed
    }

    /// How long a client may read its last answer, and send meanwhile.
    private static let lingering = TimeAmount.seconds(2)
    /// The same after a pause, and behind an eviction: a request that is on its way meets an orderly end, and no reset.
    private static let shortLingering = TimeAmount.milliseconds(500)

    /// The next handler, until it is removed. It is called directly: boxing each part for the pipeline would cost time.
    var handler: RequestHandler?
    private var context: ChannelHandlerContext?
    private let rules: Rules
    private let decoder: RequestDecoder
    private let connection: ConnectionTable.Connection
    /// Whether a request was let through whose end has not arrived.
    private var isRequestOpen = false
    /// Whether a request was let through whose answer has not ended.
    private var isAnswerDue = false
    /// Whether no further request is let through.
    private var isLast = false
    /// Whether the parts that arrive are of a request that is not let through.
    private var isDropping = false
    /// Whether the request whose parts arrive asks for another protocol.
    private var isUpgrade = false
    private var isEnding = false
    private var isOutputClosed = false
    /// Whether the client of the present request knows chunks.
    private var hasChunks = true
    private var isReadHeld = false
    private var held = CircularBuffer<Held>(initialCapacity: 1)
    /// Whether answers were written of which it is not known whether the system has taken them.
    private var isUnconfirmed = false
    /// How many confirmations are due.
    private var unflushed = 0
    /// Another connection waits for the place of this one.
    private var isEvicted = false
    private var lastAnswer: NIODeadline?
    private var idleFrom = NIODeadline.now()
    private var idle: Scheduled<Void>?
    private var stalled: Scheduled<Void>?
    /// Whether the client has taken no part of its answer for a moment. Then the connection may have to leave.
    private var isStalled = false
    private var ending: Scheduled<Void>?

    init(_ rules: Rules, _ decoder: RequestDecoder, _ connection: ConnectionTable.Connection) {
        self.rules = rules
        self.decoder = decoder
        self.connection = connection
    }

    /// Whether what arrives belongs to later requests.
    private var isWaiting: Bool { isAnswerDue && !isRequestOpen }
    /// Whether nothing that arrives is answered.
    var dropsInput: Bool { isEnding || isLast && isWaiting }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receive(decoder.part(unwrapInboundIn(data)))
    }

    /// Takes a part of a request, before the next one is read.
    func receive(_ part: RequestPart) {
        if case .head(let head) = part { isUpgrade = head.isUpgrade }
        // The decoder goes on behind a request that asks for another protocol: the service speaks no other.
        if case .end = part, isUpgrade { decoder.restart() }
        guard let context, !isEnding else { return }
        if isWaiting {
            if !isLast { held.append(.part(part)) }
        } else {
            pass(part, context)
        }
    }

    private func pass(_ part: RequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            if rules.isStopping() { finish(context) }
            isDropping = isLast || !connection.isAdmitted
            if !isLast, !connection.isAdmitted { refuse(isHead: head.isHead) }
            guard !isDropping else { return }
            hasChunks = head.hasChunks
            (isRequestOpen, isAnswerDue) = (true, true)
            connection.setBusy()
            isLast = head.isLast
        case .body:
            if isDropping { return }
        case .end:
            if isDropping { return }
            isRequestOpen = false
        }
        handler?.receive(part)
        if case .end = part, !isAnswerDue, !isEnding { becomeIdle(context) }
    }

    /// Reads no further while a part of a later request waits, or none may follow, but drops what arrives after the end. To stop
    /// reading at each request would take two calls of the system.
    func read(context: ChannelHandlerContext) {
        if isWaiting, !isEnding, isLast || !held.isEmpty { isReadHeld = true } else { context.read() }
    }

    private func becomeIdle(_ context: ChannelHandlerContext) {
        ending.take()?.cancel()
        idleFrom = .now()
        connection.setIdle()
        watchIdleness(context)
        var hasPassed = false
        while !isWaiting, !held.isEmpty {
            switch held.removeFirst() {
            case .part(let part):
                pass(part, context)
                hasPassed = true
            case .error(let error): context.fireErrorCaught(error)
            case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
        if hasPassed { context.fireChannelReadComplete() }
        if isReadHeld, !isWaiting { readAgain(context) }
    }

    private func readAgain(_ context: ChannelHandlerContext) {
        isReadHeld = false
        context.read()
    }

    // MARK: Answers

    /// Writes an answer that is there whole. The caller flushes; the gate may deliver the next request before this returns.
    ///
    /// - Parameters:
    ///   - body: the bytes of the body, which an answer to `HEAD` does not send.
    ///   - date: the line of `Date`.
    func write(_ response: Response, _ body: ByteBuffer, isHead: Bool = false, date: [UInt8] = []) {
        guard let context else { return }
        isLast = isLast || rules.isLeaving() || response.isLast
        let (bytes, rest) = response.bytes(with: body, isHead: isHead, date: date, isLast: isLast)
        write(bytes, context)
        if let rest { write(rest, context) }
        endAnswer(context)
    }

    /// Writes the head of an answer that is made while it is sent.
    func beginStream(_ response: Response, date: [UInt8]) {
        guard let context else { return }
        // Without chunks, the end of the connection ends the stream.
        isLast = isLast || rules.isLeaving() || response.isLast || !hasChunks
        confirm(context)
        write(ByteBuffer(bytes: response.head(length: nil, date: date, isLast: isLast, hasChunks: hasChunks)), context)
    }

    /// Writes a part of a stream (RFC 9112, section 7.1). An empty chunk would end it.
    func writeChunk(_ part: ByteBuffer) {
        guard let context, part.readableBytes > 0 else { return }
        guard hasChunks else { return write(part, context) }
        var chunk = context.channel.allocator.buffer(capacity: part.readableBytes + 32)
        chunk.writeString(String(part.readableBytes, radix: 16) + "\r\n")
        chunk.writeImmutableBuffer(part)
        chunk.writeString("\r\n")
        write(chunk, context)
    }

    /// Ends a stream. The caller flushes.
    func endStream() {
        guard let context else { return }
        if hasChunks { write(ByteBuffer(string: "0\r\n\r\n"), context) }
        endAnswer(context)
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }

    private func endAnswer(_ context: ChannelHandlerContext) {
        (isAnswerDue, isUnconfirmed) = (false, true)
        lastAnswer = .now()
        if isLast {
            context.flush()
            end(context)
        } else if isRequestOpen {
            ending = after(Self.lingering, context) { [self] in end(context) }
        } else {
            becomeIdle(context)
        }
    }

    /// Has the system confirm the answers so far, by an empty write behind them. The caller flushes. A promise for each would cost time.
    private func confirm(_ context: ChannelHandlerContext) {
        guard isUnconfirmed else { return }
        isUnconfirmed = false
        unflushed += 1
        let confirmed = context.eventLoop.makePromise(of: Void.self)
        confirmed.futureResult.assumeIsolated().whenComplete { [self] _ in
            unflushed -= 1
            if isEnding, unflushed == 0 { closeOutput(context) }
        }
        context.write(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: confirmed)
    }

    /// Answers that there are too many connections.
    private func refuse(isHead: Bool) {
        guard case .whole(let body) = rules.refusal.body else { return }
        write(rules.refusal, body, isHead: isHead)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stalled.take()?.cancel()
        if context.channel.isWritable {
            isStalled = false
            if isAnswerDue { connection.setBusy() }
        } else {
            stalled = after(Self.shortLingering, context) { [self] in
                isStalled = true
                stalled = after(rules.idleTime, context) { [self] in reset(context) }
                connection.setIdle()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: The end

    /// Lets no further request through, and ends after the present answer.
    private func finish(_ context: ChannelHandlerContext) {
        isLast = true
        held.removeAll()
        if !isAnswerDue { end(context) }
    }

    /// Ends the connection once the system has taken all answers.
    private func end(_ context: ChannelHandlerContext) {
        guard !isEnding else { return }
        (isEnding, isLast) = (true, true)
        held.removeAll()
        idle.take()?.cancel()
        ending.take()?.cancel()
        connection.leave()
        if isUnconfirmed {
            confirm(context)
            context.flush()
        }
        if unflushed == 0 {
            closeOutput(context)
        } else {
            ending = after(isEvicted ? Self.lingering : rules.idleTime, context) { [self] in reset(context) }
        }
    }

    private func closeOutput(_ context: ChannelHandlerContext) {
        guard !isOutputClosed else { return }
        isOutputClosed = true
        ending.take()?.cancel()
        context.close(mode: .output, promise: nil)
        guard context.channel.isActive else { return }
        if isReadHeld { readAgain(context) }
        let lingering = isEvicted || !connection.isAdmitted ? Self.shortLingering : Self.lingering
        let rest = lastAnswer.map { $0 + lingering - .now() } ?? .zero
        let time = max(rest, isEvicted ? .zero : Self.shortLingering)
        if time > .zero { ending = after(time, context) { [self] in abort(context) } } else { abort(context) }
    }

    /// Closes the connection of a client that takes nothing. The system drops what is left of the answer, and tells the client.
    private func reset(_ context: ChannelHandlerContext) {
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        abort(context)
    }

    /// Closes the connection at once. The system goes on sending what it has taken. It does not wait for the client's end of
    /// TLS.
    private func abort(_ context: ChannelHandlerContext) {
        (isEnding, isLast, isOutputClosed) = (true, true, true)
        connection.leave()
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if let promise { context.channel.closeFuture.cascade(to: promise) }
        switch mode {
        // The time for stopping is over.
        case .input: abort(context)
        case .output, .all:
            // No answer comes any more.
            (isRequestOpen, isAnswerDue) = (false, false)
            end(context)
        }
    }

    // MARK: Events

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: finish(context)
        case is ConnectionTable.Eviction where isEnding: break
        case is ConnectionTable.Eviction where isStalled: reset(context)
        case is ConnectionTable.Eviction where isAnswerDue || isRequestOpen: connection.stay()
        case is ConnectionTable.Eviction:
            isEvicted = true
            end(context)
        case ChannelEvent.inputClosed where !held.isEmpty: held.append(.inputClosed)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client has closed its side without the end of TLS. Lengths and chunks say whether a request is whole.
        if error as? NIOSSLError == .uncleanShutdown || isEnding { return }
        guard isWaiting else { return context.fireErrorCaught(error) }
        switch error {
        // The body has arrived meanwhile.
        case is SlowBody: break
        case is HTTPParserError: if !isLast { held.append(.error(error)) }
        // What follows bytes that could not be read: their error waits already.
        case ByteToMessageDecoderError.dataReceivedInErrorState: break
        default: context.fireErrorCaught(error)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        decoder.gate = self
        watchIdleness(context)
        // A connection that was just accepted may have missed the event.
        if rules.isStopping() { ending = after(.zero, context) { [self] in finish(context) } }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // It was to end before it was open.
        if isEnding { abort(context) }
    }

    private func watchIdleness(_ context: ChannelHandlerContext) {
        guard idle == nil else { return }
        let time = connection.isAdmitted ? rules.idleTime : min(rules.idleTime, Self.lingering)
        idle = after(idleFrom + time - .now(), context) { [self] in
            idle = nil
            if isAnswerDue || isRequestOpen { return }
            if idleFrom + time <= .now() { end(context) } else { watchIdleness(context) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimers()
        (isEnding, isLast, isOutputClosed) = (true, true, true)
        held.removeAll()
        connection.leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        decoder.gate = nil
        cancelTimers()
    }

    private func cancelTimers() {
        for timer in [idle, stalled, ending] { timer?.cancel() }
        (idle, stalled, ending) = (nil, nil, nil)
    }

    private func after(
        _ time: TimeAmount, _ context: ChannelHandlerContext, _ action: @escaping () -> Void
    ) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: time, action)
    }
}
