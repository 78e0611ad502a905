import AssayCore
import Foundation
package import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Asks a server for its certificate chain, with SNI (RFC 6066 section 3), and trusts nothing of it.
///
/// Sends nothing after the handshake: redirects and login pages of captive portals are not seen, their certificates are.
package struct TLSProbe: Sendable {
    /// The most addresses of one name.
    package static let maximumAddresses = 64

    private let timeout: Double
    private let group: any EventLoopGroup

    /// - Parameters:
    ///   - timeout: seconds for the connection and the handshake together, for each address; and for the resolver.
    ///   - group: where connections run.
    package init(timeout: Double, group: any EventLoopGroup) {
        (self.timeout, self.group) = (timeout, group)
    }

    /// Every address of a name (A and AAAA) in the resolver's order, or the literal itself.
    /// - Parameter host: a DNS name, or an IPv4 or IPv6 address without brackets.
    /// - Throws: `noAddress`, also if the resolver does not answer in time, or `tooManyAddresses`.
    package func addresses(of host: String, port: Int) async throws(TLSProbeError) -> [SocketAddress] {
        if let literal = try? SocketAddress(ipAddress: host, port: port) { return [literal] }
        let loop = group.next()
        let promise = loop.makePromise(of: [SocketAddress].self)
        let timer = loop.scheduleTask(in: limit) {
            let time = Duration.seconds(timeout).inWords
            promise.fail(TLSProbeError.noAddress("the resolver does not answer within \(time)"))
        }
        // getaddrinfo cannot be interrupted: after the timeout, its thread ends on its own.
        Thread.detachNewThread {
            promise.completeWith(Result { () throws(TLSProbeError) in try HostAddresses.resolve(host, port: port) })
        }
        defer { timer.cancel() }
        return try Self.checked(try await value(of: promise.futureResult))
    }

    /// The addresses of a name (A, then AAAA) as a DNS server gives them.
    ///
    /// - Throws: as ``addresses(of:port:)``.
    package func addresses(
        of host: String, port: Int, from server: NameServer
    ) async throws(TLSProbeError) -> [SocketAddress] {
        try Self.checked(try await server.addresses(of: host, port: port, within: limit, on: group))
    }

    private static func checked(_ addresses: [SocketAddress]) throws(TLSProbeError) -> [SocketAddress] {
        guard addresses.count <= maximumAddresses else { throw .tooManyAddresses(addresses.count) }
        return addresses
    }

    /// The certificates that a server presents: DER, the leaf first, in the order in which the server sends them.
    ///
    /// The handshake must complete: only then has the server proved that it holds the key of the leaf. A server that demands a
    /// certificate of the client completes it with TLS 1.3, and not with TLS 1.2.
    /// - Parameters:
    ///   - host: the name for SNI. For an address, no SNI is sent.
    ///   - address: where to connect.
    /// - Returns: 1 to ``InputLimits/certificates`` certificates of at most ``InputLimits/certificate`` bytes.
    /// - Throws: any case but `noAddress` and `tooManyAddresses`.
    package func chain(of host: String, at address: SocketAddress) async throws(TLSProbeError) -> [[UInt8]] {
        let loop = group.next()
        let promise = loop.makePromise(of: [[UInt8]].self)
        let timer = loop.scheduleTask(in: limit) { promise.fail(TLSProbeError.timeout(timeout)) }
        let connection = ClientBootstrap(group: loop).connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try Self.prepare(channel, for: host, promise) }
            }
            .connect(to: address)
        connection.cascadeFailure(to: promise)
        // Closes the connection after any result: of the handshake, or the timer.
        promise.futureResult.whenComplete { _ in
            connection.whenSuccess { $0.close(promise: nil) }
        }
        defer { timer.cancel() }
        return try Self.checked(try await value(of: promise.futureResult))
    }

    private var limit: TimeAmount { .nanoseconds(Int64(timeout * 1e9)) }

    private func value<Value: Sendable>(of future: EventLoopFuture<Value>) async throws(TLSProbeError) -> Value {
        do { return try await future.get() } catch { throw TLSProbeError(error, timeout: timeout) }
    }

    private static func prepare(
        _ channel: any Channel, for host: String, _ promise: EventLoopPromise<[[UInt8]]>
    ) throws {
        let reader = ChainReader(promise)
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let tls = try NIOSSLClientHandler(
            context: context.get(), serverHostname: IPAddress(name) == nil ? name : nil,
            customVerificationCallback: { presented, verdict in
                reader.chain = presented
                verdict.succeed(.certificateVerified)
            })
        try channel.pipeline.syncOperations.addHandlers(tls, reader)
    }

    private static let context = Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // `.none` would not call the verification callback.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }

    private static func checked(_ chain: [[UInt8]]) throws(TLSProbeError) -> [[UInt8]] {
        guard !chain.isEmpty else { throw .noCertificate }
        guard chain.count <= InputLimits.certificates else {
            throw .tooLarge(
                "the server presents \(chain.count) certificates; at most \(InputLimits.certificates) are read")
        }
        if let long = chain.first(where: { $0.count > InputLimits.certificate }) {
            throw .tooLarge(
                "the server presents a certificate of \(long.count) bytes; at most \(InputLimits.certificate) are read")
        }
        return chain
    }
}

/// Completes the promise with the presented chain when the handshake is complete.
private final class ChainReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var chain: [NIOSSLCertificate] = []
    private let promise: EventLoopPromise<[[UInt8]]>

    init(_ promise: EventLoopPromise<[[UInt8]]>) { self.promise = promise }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            promise.completeWith(Result { try chain.map { try $0.toDERBytes() } })
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])))
    }

    /// Ignores what the server sends after the handshake.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

extension TLSProbeError {
    fileprivate init(_ error: any Error, timeout: Double) {
        switch error {
        case let error as TLSProbeError: self = error
        case ChannelError.connectTimeout: self = .timeout(timeout)
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE:
            self = .handshake("the server closed the connection")
        case let error as IOError: self = .refused(String(cString: strerror(error.errnoCode)))
        case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])):
            self = .handshake("the server closed the connection")
        case NIOSSLError.handshakeFailed(.sslError(let errors)): self = .init(reasons: errors.map(\.description))
        default: self = .handshake(ServerText.quote(String(describing: error)))
        }
    }

    /// BoringSSL's errors, such as `error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at ...`.
    private init(reasons: [String]) {
        let words = reasons.compactMap { $0.firstMatch(of: #/OPENSSL_internal:([A-Z0-9_]+)/#).map { String($0.1) } }
        func has(_ names: String...) -> Bool { words.contains { names.contains($0) } }
        if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_RECORD", "INVALID_OUTER_RECORD_TYPE") {
            self = .notTLS
        } else if has("EXCESSIVE_MESSAGE_SIZE") {
            self = .tooLarge("the server's certificates are longer than a handshake message may be")
        } else if has("PEER_DID_NOT_RETURN_A_CERTIFICATE") {
            self = .noCertificate
        } else {
            let reason = words.last?.lowercased().replacing("_", with: " ")
            self = .handshake(reason ?? "the server's messages are not understood")
        }
    }
}
