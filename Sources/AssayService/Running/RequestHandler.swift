import HTTPTypes
import NIOCore
import NIOHTTP1

/// Answers the requests of a connection on its event loop, one after the other.
///
/// A request that has arrived whole is answered without a change of threads, until the answer waits for something: a task runs on the
/// event loop, and begins at once. `RequestGate` lets the next request through when the answer has ended.
final class RequestHandler: ChannelDuplexHandler {
    typealias InboundIn = Never
    typealias OutboundIn = Never

    private let responder: ServiceResponder
    private let date: DateField
    private let open: OpenConnections
    private let gate: RequestGate
    private let executor: EventLoopExecutor
    private var context: ChannelHandlerContext?
    private var peer: Peer?
    /// A request that is not answered yet, because more of it may have arrived.
    private var pending: RequestHead?
    /// The body of the present request, until its answer has ended. What arrives of it later is dropped.
    private var body: BodyArrival?
    /// Whether the end of a request is still to come.
    private var isRequestOpen = false
    private var isAnswering = false
    private var isHead = false
    private var task: Task<Void, Never>?
    /// Whether a call of `startPending` is on the stack. Answers to pipelined requests would nest.
    private var isStarting = false
    private var isReadHeld = false
    /// Whether the connection ends after the present answer.
    private var isLast = false
    private var isActive = true
    private var writer: CheckedContinuation<Void, any Error>?

    init(
        _ responder: ServiceResponder, _ date: DateField, _ open: OpenConnections, _ gate: RequestGate,
        on loop: any EventLoop
    ) {
        (self.responder, self.date, self.open, self.gate) = (responder, date, open, gate)
        executor = EventLoopExecutor(loop)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        gate.handler = self
        open.insert(NIOLoopBound(self, eventLoop: context.eventLoop))
    }

    // MARK: Requests

    /// Takes a part of a request that the gate lets through.
    func receive(_ part: RequestPart) {
        switch part {
        case .head(let head):
            guard !isLast else { return }
            guard let request = head.request else { return refuse() }
            // No cycle that lasts: the body drops the handler at its end, and ends with the connection at the latest.
            let body = BodyArrival(for: self)
            (self.body, pending, isRequestOpen, isHead) = (body, request, true, head.isHead)
        case .body(let part): body?.append(part)
        case .end:
            isRequestOpen = false
            body?.finish(.success(()))
            startPending()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        startPending()
        context.fireChannelReadComplete()
    }

    /// Reads no more of a body while enough of it waits.
    func read(context: ChannelHandlerContext) {
        if let body, body.isFull { isReadHeld = true } else { context.read() }
    }

    /// There is room in the body again.
    func readAgain() {
        guard isReadHeld else { return }
        isReadHeld = false
        context?.read()
    }

    /// Starts the next answer. Waits while the channel is not writable: the client has not read the last one.
    private func startPending() {
        guard !isStarting else { return }
        isStarting = true
        while let context, context.channel.isWritable, let body, let head = pending.take() {
            start(head, body, context)
        }
        isStarting = false
    }

    private func start(_ head: RequestHead, _ body: BodyArrival, _ context: ChannelHandlerContext) {
        isAnswering = true
        let (loop, channel, responder) = (context.eventLoop, context.channel, responder)
        let peer = peer ?? Peer(channel.remoteAddress)
        self.peer = peer
        let request = Request(head: head, body: RequestBody(body, on: loop), peer: peer)
        if body.isEnded, let response = responder.respondAtOnce(to: request, on: channel),
            case .whole(let bytes) = response.body
        {
            return send(response, bytes)
        }
        let handler = NIOLoopBound(self, eventLoop: loop)
        let answer = { @Sendable () async in
            let response = await responder.respond(to: request, on: channel)
            await RequestHandler.send(response, by: handler)
        }
        let started =
            if #available(macOS 26, *) {
                Task.immediateDetached(executorPreference: executor, operation: answer)
            } else {
                Task.detached(executorPreference: executor, operation: answer)
            }
        if isAnswering { task = started }
    }

    // MARK: Answers

    private static func send(_ response: Response, by handler: NIOLoopBound<RequestHandler>) async {
        let loop = handler.eventLoop
        switch response.body {
        case .whole(let bytes):
            if loop.inEventLoop { return handler.value.send(response, bytes) }
            loop.execute { handler.value.send(response, bytes) }
        case .stream(let make):
            loop.execute { handler.value.beginStream(response) }
            do {
                // Outside the event loop, as answers that may take long.
                try await withTaskExecutorPreference(globalConcurrentExecutor) {
                    try await make(ResponseWriter(handler))
                }
                loop.execute { handler.value.endAnswer { $0.endStream() } }
            } catch {
                loop.execute { handler.value.abort() }
            }
        }
    }

    private func send(_ response: Response, _ body: ByteBuffer) {
        endAnswer { $0.write(response, body, isHead: isHead, date: date.now) }
    }

    private func beginStream(_ response: Response) {
        if isActive { gate.beginStream(response, date: date.now) }
    }

    /// Writes a part of a stream. Resumes the writer once the connection is writable.
    func write(_ part: ByteBuffer, _ writer: CheckedContinuation<Void, any Error>) {
        guard let context, isActive else { return writer.resume(throwing: ChannelError.ioOnClosedChannel) }
        // Stored first: a write that fails may end the connection before it returns.
        self.writer = writer
        gate.writeChunk(part)
        context.flush()
        if context.channel.isWritable { self.writer.take()?.resume() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            writer.take()?.resume()
            startPending()
        }
        context.fireChannelWritabilityChanged()
    }

    /// Writes the answer to its end. The gate may deliver the next request before this returns.
    private func endAnswer(_ write: (RequestGate) -> Void) {
        (isAnswering, task, body) = (false, nil, nil)
        guard let context, isActive else { return open.remove(self) }
        write(gate)
        context.flush()
        if isLast { context.close(mode: .output, promise: nil) }
        readAgain()
        startPending()
    }

    /// Ends the connection in the middle of an answer.
    private func abort() {
        (isAnswering, task, body, isLast) = (false, nil, nil, true)
        guard let context, isActive else { return open.remove(self) }
        context.close(promise: nil)
    }

    /// Answers that the request cannot be read, and ends the connection.
    private func refuse() {
        isLast = true
        var refusal = Response(status: .badRequest)
        refusal.isLast = true
        gate.write(refusal, ByteBuffer())
        context?.flush()
        context?.close(mode: .output, promise: nil)
    }

    // MARK: The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The deadline fired while the end of the body arrived.
        if error is SlowBody, !isRequestOpen { return }
        let isIdle = !isAnswering && pending == nil
        // A request that was answered before its body ended gets no second answer for an error in the body.
        if isIdle, !isRequestOpen, error is HTTPParserError {
            if !isLast { refuse() }
            return
        }
        isLast = true
        body?.finish(.failure(error))
        if isIdle { context.close(promise: nil) } else { startPending() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            isLast = true
            body?.finish(.success(()))
            if isAnswering || pending != nil { startPending() } else { context.close(mode: .output, promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        (isActive, isLast, pending) = (false, true, nil)
        body?.finish(.failure(ChannelError.eof))
        writer.take()?.resume(throwing: ChannelError.ioOnClosedChannel)
        if !isAnswering { open.remove(self) }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        gate.handler = nil
        writer.take()?.resume(throwing: ChannelError.ioOnClosedChannel)
        if !isAnswering { open.remove(self) }
    }

    /// Cancels the answer and closes the connection: the grace period has ended.
    func cancel() {
        task?.cancel()
        context?.close(mode: .input, promise: nil)
    }
}

/// Runs tasks on an event loop.
private final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
