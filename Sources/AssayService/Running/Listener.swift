import Foundation
import Logging
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Synchronization

/// An address on which the service accepts connections, each with HTTP/1.1.
struct Listener: ServiceLifecycle.Service {
    /// How many connections may wait to be accepted.
    private static let backlog: Int32 = 1024
    /// The most fields of a request.
    private static let fields = 200

    /// The key of the configuration that has the address.
    private let key: String
    private let address: ListenAddress
    /// The descriptor of a socket that another process has opened; nil to open one.
    private let inherited: Int32?
    private let responder: ServiceResponder
    private let heads: NIOHTTPDecoderLimitConfiguration
    private let gate: RequestGate.Rules
    private let tls: TLSFiles?
    private let connections: ConnectionTable
    private let open = OpenConnections()
    private let isStopping = StopFlag()
    private let date = DateField()
    private let onRunning: @Sendable (ListenAddress) -> Void

    /// - Parameters:
    ///   - limits: the limits of requests and connections, of which the listener has at most `connections`.
    ///   - isLeaving: whether answers ask clients to connect anew.
    ///   - onRunning: called with the address when the listener accepts connections.
    init(
        _ key: String, _ address: ListenAddress, inherited: Int32?, _ responder: ServiceResponder,
        _ limits: ServiceConfiguration.Limits, tls: TLSFiles?, connections: Int, retryAfter: Int,
        log: Logger, isLeaving: @escaping @Sendable () -> Bool, onRunning: @escaping @Sendable (ListenAddress) -> Void
    ) {
        (self.key, self.address, self.inherited, self.responder) = (key, address, inherited, responder)
        self.connections = ConnectionTable(connections, log)
        self.onRunning = onRunning
        self.tls = tls
        var heads = NIOHTTPDecoderLimitConfiguration()
        heads.maxHeaderFieldSize = limits.headers
        heads.maxHeaderListSize = limits.headers
        heads.maxHeaderFieldCount = Self.fields
        self.heads = heads
        let isStopping = isStopping
        gate = RequestGate.Rules(
            idleTime: .milliseconds(Int64(limits.idleTime * 1000)), isLeaving: isLeaving,
            isStopping: { isStopping.isSet }, refusal: Self.refusal(connections, retryAfter: retryAfter),
            connections: self.connections)
    }

    /// Accepts connections until the service stops, and waits for those that are open. If it is cancelled, it cuts them.
    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let server = try await bind(group, quiescing)
        let closed = group.next().makePromise(of: Void.self)
        let (open, isStopping) = (open, isStopping)
        let stop = { @Sendable in
            if isStopping.set() { quiescing.initiateShutdown(promise: closed) }
        }
        server.closeFuture.whenComplete { _ in stop() }
        onRunning(boundAddress(server))
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                try? await closed.futureResult.get()
                await open.wait()
            } onCancel: {
                stop()
                open.cancel()
            }
        } onGracefulShutdown: {
            stop()
        }
    }

    private static func refusal(_ connections: Int, retryAfter: Int) -> Response {
        var refusal = Problem.tooManyConnections(connections, retryAfter: retryAfter).response
        refusal.isLast = true
        return refusal
    }

    private func setUp(_ channel: any Channel) throws {
        let decoder = RequestDecoder(heads)
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.context)) }
        let gate = RequestGate(gate, decoder, connections.add(channel))
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(gate)
        try pipeline.addHandler(RequestHandler(responder, date, open, gate, on: channel.eventLoop))
    }

    private func bind(
        _ group: MultiThreadedEventLoopGroup, _ quiescing: ServerQuiescingHelper
    ) async throws -> any Channel {
        let connections = connections
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: ReceiveBuffers())
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ConnectionLimit(connections.maximum + connections.spare))
                    try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try setUp(channel) }
            }
        do {
            switch (inherited, address) {
            case (let descriptor?, _): return try await bootstrap.withBoundSocket(descriptor).get()
            case (nil, .tcp(let host, let port)): return try await bootstrap.bind(host: host, port: port).get()
            case (nil, .unix(let path)):
                let (descriptor, file) = try UnixSocket.open(path, backlog: Self.backlog)
                let server = try await bootstrap.withBoundSocket(descriptor).get()
                server.closeFuture.whenComplete { _ in file.remove() }
                return server
            }
        } catch {
            throw ServiceError(
                "\(key): cannot listen on \(address.description): \(Self.reason(error)); "
                    + ((error as? IOError)?.errnoCode == EADDRINUSE ? "end the program that listens there, or " : "")
                    + "set \(key) to another address")
        }
    }

    /// The system's description of an error.
    static func reason(_ error: any Error) -> String {
        let cause = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        return (cause as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(cause)"
    }

    /// The address with the port that the system has chosen.
    private func boundAddress(_ server: any Channel) -> ListenAddress {
        guard case .tcp(let host, _) = address, let port = server.localAddress?.port else { return address }
        return .tcp(host: host, port: port)
    }
}

/// Whether a listener was told to stop. A connection that is accepted at the same time gets no event.
private final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Returns whether it was not set before.
    func set() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The line of the field Date (RFC 9110, section 5.6.7), written once a second.
final class DateField: Sendable {
    private let written = Mutex<(second: Int, line: [UInt8])>((0, []))

    var now: [UInt8] {
        written.withLock { written in
            var second = time(nil)
            if written.second != second { written = (second, Self.line(&second)) }
            return written.line
        }
    }

    private static func line(_ second: inout time_t) -> [UInt8] {
        var parts = tm()
        gmtime_r(&second, &parts)
        var buffer = [CChar](repeating: 0, count: 40)
        // The program keeps the locale C, in which the names are English.
        let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return Array("Date: ".utf8) + buffer.prefix(count).map { UInt8(bitPattern: $0) } + Array("\r\n".utf8)
    }
}

/// Accepts no further connection while as many as allowed are open, and some more.
private final class ConnectionLimit: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    private let maximum: Int
    private var open = 0
    private var isReadPending = false

    init(_ maximum: Int) { self.maximum = maximum }

    func read(context: ChannelHandlerContext) {
        if open < maximum { context.read() } else { isReadPending = true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (handler, context) = bound.value
            handler.open -= 1
            guard handler.isReadPending, handler.open < handler.maximum else { return }
            handler.isReadPending = false
            context.read()
        }
        context.fireChannelRead(data)
    }
}
