import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A local server whose reaction to each request is scripted by a function.
package final class ScriptedServer: Sendable {
    /// A received request. Field names are in lower case.
    package struct Request: Sendable {
        package let path: String
        package let fields: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The reaction to a request.
    package indirect enum Step: Sendable {
        /// The documented answer, which the user of the server composes.
        case serve
        /// An answer.
        case answer(Int, String, fields: [String: String] = [:])
        /// A head that announces a body of this many bytes, and the start of that body.
        case announced(Int)
        /// A body of this many bytes in chunks, without a length.
        case chunked(Int)
        /// Another step after a delay.
        case slowly(Duration, Step)
        /// Another step once a gate is open.
        case held(Gate, Step)
        /// A head and a body that never ends.
        case stall
        /// A body shorter than the announced length, then the end of the connection.
        case cut
        /// Closes the connection.
        case close
        /// An error that repeats the whole request, which the user of the server composes.
        case echo(Int, status: String)
    }

    fileprivate final class Owner: Sendable {
        private let function = Mutex<(@Sendable (Request) -> Step)?>(nil)
        func set(_ function: (@Sendable (Request) -> Step)?) { self.function.withLock { $0 = function } }
        var current: (@Sendable (Request) -> Step)? { function.withLock { $0 } }
    }

    private let channel: any Channel
    private let owner = Owner()

    /// Listens on a free local port. Closes every connection until ``respond(_:)`` is called.
    package init() async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { [owner] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ScriptedHandler(owner))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// Sets the function that chooses reactions.
    package func respond(_ function: @escaping @Sendable (Request) -> Step) { owner.set(function) }

    /// The URL without a path.
    package var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Stops listening.
    package func close() async throws {
        guard owner.current != nil else { return }
        owner.set(nil)
        try await channel.close().get()
    }
}

/// One connection to a ``ScriptedServer``.
private final class ScriptedHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let owner: ScriptedServer.Owner
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ owner: ScriptedServer.Owner) { self.owner = owner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head, let respond = owner.current else { return context.close(promise: nil) }
            let fields = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
            let request = ScriptedServer.Request(
                path: head.uri, fields: fields, body: Array(body.readableBytesView))
            perform(respond(request), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func perform(_ step: ScriptedServer.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .serve, .echo, .close: context.close(promise: nil)
        case .answer(let status, let text, let fields): write(status, text, fields, length: nil, context)
        case .announced(let count): write(200, #"{"entries":{"#, [:], length: count, context)
        case .chunked(let count):
            let head = HTTPResponseHead(version: .http1_1, status: .ok)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            let piece = ByteBuffer(repeating: 0x20, count: 64 * 1024)
            for _ in 0..<(count / piece.readableBytes + 1) {
                context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .slowly(let time, let later):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: TimeAmount(time)) {
                let (handler, context) = bound.value
                if context.channel.isActive { handler.perform(later, context) }
            }
        case .held(let gate, let later):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let eventLoop = context.eventLoop
            gate.whenOpen {
                eventLoop.execute {
                    let (handler, context) = bound.value
                    if context.channel.isActive { handler.perform(later, context) }
                }
            }
        case .stall: write(200, #"{"entries":{"tokenPayload"#, [:], length: 1000, context)
        case .cut:
            write(200, #"{"entries":{"tokenPayload"#, [:], length: 1000, context)
            context.close(promise: nil)
        }
    }

    private func write(
        _ status: Int, _ text: String, _ fields: [String: String], length: Int?, _ context: ChannelHandlerContext
    ) {
        var headers = HTTPHeaders([
            ("Content-Type", text.hasPrefix("<") ? "text/html; charset=utf-8" : "application/json; charset=utf-8"),
            ("Content-Length", String(length ?? text.utf8.count)),
        ])
        for (name, value) in fields { headers.replaceOrAdd(name: name, value: value) }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        if length == nil {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            context.flush()
        }
    }
}
