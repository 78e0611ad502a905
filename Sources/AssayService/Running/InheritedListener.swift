import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// The sockets that systemd has opened for the service (sd_listen_fds(3)).
struct InheritedSockets: Sendable {
    /// The descriptor of the public listener; nil if none is inherited.
    let publicListener: Int32?
    /// The descriptor of the listener of operators; nil if none is inherited.
    let admin: Int32?

    /// The first descriptor that a process inherits.
    private static let first: Int32 = 3

    /// Reads `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`. Variables for another process count as absent.
    ///
    /// - Throws: ``ServiceError`` for a name that is neither `public` nor `admin`, and for a descriptor that does not listen.
    init(_ environment: [String: String], process: Int32 = getpid()) throws(ServiceError) {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process else {
            (publicListener, admin) = (nil, nil)
            return
        }
        guard let text = environment["LISTEN_FDS"], let count = Int32(text), (0...2).contains(count) else {
            throw ServiceError(
                "LISTEN_FDS: expected at most 2 sockets, named public and admin, found \(environment["LISTEN_FDS"] ?? "none")"
            )
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var found: [String: Int32] = [:]
        for index in 0..<count {
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            guard ["public", "admin"].contains(name), found[name] == nil else {
                throw ServiceError(
                    "LISTEN_FDNAMES: expected the names public and admin, each once at most, found \(name.prefix(60)); set "
                        + "FileDescriptorName= in each socket unit")
            }
            let descriptor = Self.first + index
            var listens: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0, listens == 1 else {
                throw ServiceError(
                    "the inherited socket \(name), descriptor \(descriptor), accepts no connections: it must be of "
                        + "ListenStream=, with Accept=no")
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            found[name] = descriptor
        }
        (publicListener, admin) = (found["public"], found["admin"])
    }

    /// Where a socket is bound.
    static func address(of descriptor: Int32) throws(ServiceError) -> ListenAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        let address = isKnown ? Self.address(storage, length) : nil
        guard let address else {
            throw ServiceError("the inherited socket of descriptor \(descriptor) is neither TCP nor a unix socket")
        }
        return address
    }

    private static func address(_ storage: sockaddr_storage, _ length: socklen_t) -> ListenAddress? {
        switch Int32(storage.ss_family) {
        case AF_UNIX:
            let path = withUnsafeBytes(of: storage) { bytes in
                bytes.prefix(Int(length)).dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
            }
            return .unix(path: String(decoding: path, as: UTF8.self))
        case AF_INET, AF_INET6:
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
            let status = withUnsafePointer(to: storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getnameinfo(
                        $0, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV)
                }
            }
            func text(_ bytes: [CChar]) -> String {
                String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
            return status == 0 ? .tcp(host: text(host), port: Int(text(port)) ?? 0) : nil
        default: return nil
        }
    }
}

/// A listener on a socket that another process has opened. Hummingbird opens its sockets itself.
enum InheritedListener {
    /// The service of a listener.
    ///
    /// - Parameters:
    ///   - descriptor: the socket.
    ///   - connections: the most connections at the same time.
    ///   - onRunning: called when the listener accepts connections.
    static func service(
        _ descriptor: Int32, _ responder: ServiceResponder, _ configuration: HTTP1Channel.Configuration,
        tls: TLSConfiguration?, connections: Int, onRunning: @escaping @Sendable (any Channel) -> Void
    ) throws -> any ServiceLifecycle.Service {
        let logger = Logger(label: "assay.http") { _ in JSONLogHandler(level: .error) }
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                // Hummingbird reads the ID of a request from this.
                var logger = logger
                logger[metadataKey: "hb.request.id"] = "\(UUID().uuidString.lowercased().filter { $0 != "-" })"
                let context = ServiceContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
                var response = try await responder.respond(to: request, context: context)
                response.headers[.date] = Self.date(Date())
                try await writer.write(response: response.head, body: response.body)
            }, configuration: configuration)
        guard let tls else {
            return Listener(
                descriptor: descriptor, child: http, connections: connections, onRunning: onRunning, logger: logger)
        }
        return Listener(
            descriptor: descriptor, child: try TLSChannel(http, tlsConfiguration: tls), connections: connections,
            onRunning: onRunning, logger: logger)
    }

    /// A time as in the field Date (RFC 9110, section 5.6.7).
    private static func date(_ time: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: time)
    }
}

private struct Listener<Child: ServerChildChannel>: ServiceLifecycle.Service {
    let descriptor: Int32
    let child: Child
    let connections: Int
    let onRunning: @Sendable (any Channel) -> Void
    let logger: Logger

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let (accepted, accepting) = AsyncStream.makeStream(of: Child.Value.self)
        let (child, logger, connections) = (child, logger, connections)
        let server = try await ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionLimit(connections))
                    try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelInitializer { channel in
                child.setup(channel: channel, logger: logger).map { _ = accepting.yield($0) }
            }
            .withBoundSocket(descriptor).get()
        server.closeFuture.whenComplete { _ in accepting.finish() }
        onRunning(server)
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await withDiscardingTaskGroup { tasks in
                    for await value in accepted { tasks.addTask { await child.handle(value: value, logger: logger) } }
                }
            } onCancel: {
                server.close(promise: nil)
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }
}

/// Accepts no further connection while as many as allowed are open.
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
