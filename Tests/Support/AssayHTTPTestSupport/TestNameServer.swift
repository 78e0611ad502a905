import NIOCore
import NIOPosix

/// A local DNS server over TCP that gives every name the same addresses.
package final class TestNameServer: Sendable {
    private let channel: any Channel
    /// The port.
    package let port: Int

    /// Listens on a free port of 127.0.0.1.
    ///
    /// - Parameter addresses: 4 or 16 bytes each.
    package init(addresses: [[UInt8]]) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answers(addresses))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        // Kept: a closed channel has no address.
        port = channel.localAddress?.port ?? 0
    }

    /// Stops listening.
    package func close() async throws { try await channel.close().get() }
}

/// Answers questions of one name each, which arrive whole.
private final class Answers: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let addresses: [[UInt8]]
    private var received = ByteBuffer()

    init(_ addresses: [[UInt8]]) { self.addresses = addresses }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        received.writeBuffer(&buffer)
        guard let length = received.getInteger(at: 0, as: UInt16.self),
            let query = received.getBytes(at: 2, length: Int(length))
        else { return }
        // The type stands before the class, at the end.
        let type = query[query.count - 3]
        let own = addresses.filter { $0.count == (type == 1 ? 4 : 16) }
        var answer = Array(query[0..<2]) + [0x81, 0x80, 0, 1, 0, UInt8(own.count), 0, 0, 0, 0] + query[12...]
        for address in own {
            answer += [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(address.count)] + address
        }
        var out = ByteBuffer(integer: UInt16(answer.count))
        out.writeBytes(answer)
        context.writeAndFlush(wrapOutboundOut(out), promise: nil)
    }
}
