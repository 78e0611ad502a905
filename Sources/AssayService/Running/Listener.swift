import AssayHummingbird
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Synchronization

/// An address on which the service accepts connections, each with HTTP/1.1. Hummingbird's own server takes no socket that another
/// process has opened.
struct Listener: ServiceLifecycle.Service {
    /// How many connections may wait to be accepted.
    private static let backlog: Int32 = 1024

    /// The key of the configuration that has the address.
    private let key: String
    private let address: ListenAddress
    /// The descriptor of a socket that another process has opened; nil to open one.
    private let inherited: Int32?
    private let child: any ServerChildChannel
    private let connections: ConnectionTable
    private let isStopping = StopFlag()
    private let onRunning: @Sendable (ListenAddress) -> Void
    private let logger = Logger(label: "assay.http") { _ in JSONLogHandler(level: .error) }

    /// - Parameters:
    ///   - limits: the limits of requests and connections, of which the listener has at most `connections`.
    ///   - isLeaving: whether answers ask clients to connect anew.
    ///   - onRunning: called with the address when the listener accepts connections.
    init(
        _ key: String, _ address: ListenAddress, inherited: Int32?, _ responder: ServiceResponder,
        _ limits: ServiceConfiguration.Limits, tls: TLSConfiguration?, connections: Int, retryAfter: Int,
        log: Logger, isLeaving: @escaping @Sendable () -> Bool, onRunning: @escaping @Sendable (ListenAddress) -> Void
    ) throws {
        self.key = key
        self.address = address
        self.inherited = inherited
        self.connections = ConnectionTable(connections, log)
        self.onRunning = onRunning
        let date = DateField()
        let isStopping = isStopping
        let http = ServiceChannel(
            responder: { request, writer, channel in
                var response = await responder.respond(to: request, on: channel)
                response.headers.append(HTTPField(name: .date, value: date.now))
                try await writer.write(response: response.head, body: response.body)
            }, limits: limits,
            gate: RequestGate.Rules(
                idleTime: .milliseconds(Int64(limits.idleTime * 1000)), isLeaving: isLeaving,
                isStopping: { isStopping.isSet }, refusal: .tooManyConnections(connections, retryAfter: retryAfter),
                connections: self.connections))
        child = try tls.map { try TLSChannel(http, tlsConfiguration: $0) } ?? http
    }

    func run() async throws { try await run(child) }

    private func run<Child: ServerChildChannel>(_ child: Child) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let (accepted, accepting) = AsyncStream.makeStream(of: Child.Value.self)
        let server = try await open(child, group, quiescing) { accepting.yield($0) }
        server.closeFuture.whenComplete { _ in accepting.finish() }
        onRunning(boundAddress(server))
        let (logger, isStopping) = (logger, isStopping)
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await withDiscardingTaskGroup { tasks in
                    for await value in accepted {
                        tasks.addTask { await child.handle(value: value, logger: logger) }
                    }
                }
            } onCancel: {
                server.close(promise: nil)
            }
        } onGracefulShutdown: {
            isStopping.set()
            quiescing.initiateShutdown(promise: nil)
        }
    }

    private func open<Child: ServerChildChannel>(
        _ child: Child, _ group: MultiThreadedEventLoopGroup, _ quiescing: ServerQuiescingHelper,
        _ accept: @escaping @Sendable (Child.Value) -> Void
    ) async throws -> any Channel {
        let (logger, connections) = (logger, connections)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ConnectionLimit(connections.maximum + connections.spare))
                    try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelInitializer { channel in child.setup(channel: channel, logger: logger).map(accept) }
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

    func set() { flag.store(true, ordering: .releasing) }
}

/// One connection with HTTP/1.1.
private struct ServiceChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: Responder
    let limits: ServiceConfiguration.Limits
    let gate: RequestGate.Rules

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var heads = NIOHTTPDecoderLimitConfiguration()
            heads.maxHeaderFieldSize = limits.headers
            heads.maxHeaderListSize = limits.headers
            heads.maxHeaderFieldCount = Self.fields
            let decoder = RequestDecoder(heads)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(ByteToMessageHandler(decoder))
            try pipeline.addHandler(RequestGate(gate, decoder, gate.connections.add(channel)))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(RequestTargetGuard.handler())
            return try Value(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    /// The most fields of a request.
    private static let fields = 200

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}

/// The value of the field Date (RFC 9110, section 5.6.7), written once a second.
private final class DateField: Sendable {
    private let written = Mutex<(second: Int, text: String)>((0, ""))

    var now: String {
        written.withLock { written in
            var second = time(nil)
            if written.second != second { written = (second, Self.text(&second)) }
            return written.text
        }
    }

    private static func text(_ second: inout time_t) -> String {
        var parts = tm()
        gmtime_r(&second, &parts)
        var buffer = [CChar](repeating: 0, count: 40)
        // The program keeps the locale C, in which the names are English.
        let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
