import NIOCore
import NIOPosix

/// A DNS server that is asked in place of the system's resolver.
///
/// Over TCP: every server must answer there (RFC 7766 section 5), no answer is cut short, and none can be forged from outside of the path.
package struct NameServer: Sendable {
    private let address: SocketAddress

    /// The address and port, such as `192.0.2.53:53`.
    package var text: String { address.hostAndPort }

    /// Nil if `host` is no IPv4 or IPv6 address.
    package init?(host: String, port: Int = 53) {
        guard let address = try? SocketAddress(ipAddress: host, port: port) else { return nil }
        self.address = address
    }

    /// The addresses of a name (A, then AAAA), without duplicates.
    ///
    /// - Parameters:
    ///   - port: that of the addresses.
    ///   - limit: how long the server may take.
    /// - Throws: `noAddress`, with the server's address in the reason.
    func addresses(
        of host: String, port: Int, within limit: TimeAmount, on group: any EventLoopGroup
    ) async throws(TLSProbeError) -> [SocketAddress] {
        do {
            async let ofVersion4 = answer(.a, host, within: limit, on: group)
            async let ofVersion6 = answer(.aaaa, host, within: limit, on: group)
            var found: [SocketAddress] = []
            // Some servers fail for a type that the name does not have.
            let answers = await [ofVersion4, ofVersion6]
            for bytes in answers.flatMap({ (try? $0.get()) ?? [] }) {
                let address = try SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: port)
                if !found.contains(address) { found.append(address) }
            }
            if found.isEmpty { for answer in answers { _ = try answer.get() } }
            guard !found.isEmpty else { throw NameQuery.Failure("the name has neither an IPv4 nor an IPv6 address") }
            return found
        } catch let failure as NameQuery.Failure {
            throw .noAddress("\(text): \(failure.reason)")
        } catch {
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
            throw .noAddress("\(text): no connection\(reason.map { ": \($0)" } ?? "")")
        }
    }

    private func answer(
        _ type: NameQuery.RecordType, _ host: String, within limit: TimeAmount, on group: any EventLoopGroup
    ) async -> Result<[[UInt8]], any Error> {
        do { return .success(try await ask(type, host, within: limit, on: group)) } catch { return .failure(error) }
    }

    private func ask(
        _ type: NameQuery.RecordType, _ host: String, within limit: TimeAmount, on group: any EventLoopGroup
    ) async throws -> [[UInt8]] {
        let query = try NameQuery(type, of: host, identifier: .random(in: .min ... .max))
        let loop = group.next()
        let promise = loop.makePromise(of: [UInt8].self)
        let timer = loop.scheduleTask(in: limit) {
            promise.fail(NameQuery.Failure("no answer within \(Duration.nanoseconds(limit.nanoseconds).inWords)"))
        }
        let connection = ClientBootstrap(group: loop).connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NameAnswerReader(query.message, promise))
                }
            }
            .connect(to: address)
        connection.cascadeFailure(to: promise)
        promise.futureResult.whenComplete { _ in
            connection.whenSuccess { $0.close(promise: nil) }
        }
        defer { timer.cancel() }
        return try query.addresses(in: try await promise.futureResult.get())
    }
}

/// Sends a message with its length before it (RFC 1035 section 4.2.2), and completes the promise with the message that comes back.
private final class NameAnswerReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let query: [UInt8]
    private let promise: EventLoopPromise<[UInt8]>
    private var received = ByteBuffer()

    init(_ query: [UInt8], _ promise: EventLoopPromise<[UInt8]>) { (self.query, self.promise) = (query, promise) }

    func channelActive(context: ChannelHandlerContext) {
        var buffer = ByteBuffer(integer: UInt16(query.count))
        buffer.writeBytes(query)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        received.writeBuffer(&buffer)
        guard let length = received.getInteger(at: 0, as: UInt16.self),
            let message = received.getBytes(at: 2, length: Int(length))
        else { return }
        promise.succeed(message)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(NameQuery.Failure("the server closed the connection without an answer"))
    }
}
