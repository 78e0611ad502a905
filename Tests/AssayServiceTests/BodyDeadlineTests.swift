import AssayService
import NIOCore
import NIOPosix
import Synchronization
import Testing

@Suite("The time of bodies")
struct BodyDeadlineTests {
    private final class Errors: ChannelInboundHandler, Sendable {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>

        let count = Atomic(0)

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error is SlowBody { count.add(1, ordering: .relaxed) }
        }
    }

    /// A connection may wait with its next request by the time that its event loop hears of the deadline.
    @Test("A body that arrives before the event loop hears of its end is not aborted, nor what follows it")
    func late() async throws {
        let (deadlines, errors) = (BodyDeadlines(), Errors())
        let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { $0.pipeline.addHandler(errors) }
            .bind(host: "127.0.0.1", port: 0).get()
        for (isRead, count) in [(true, 0), (false, 1)] {
            let number = try await channel.eventLoop.submit {
                let number = deadlines.add(channel, after: 1)
                deadlines.abort(at: .now + .seconds(60))
                if isRead { deadlines.remove(number) }
                return number
            }.get()
            try await channel.eventLoop.submit {}.get()
            #expect(errors.count.load(ordering: .relaxed) == count)
            deadlines.remove(number)
        }
        try await channel.close()
    }
}
