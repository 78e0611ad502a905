import Foundation
import NIOCore
import NIOPosix

/// One exchange over a socket, of bytes as they are given: well-formed or not.
enum RawExchange {
    /// Sends parts one after the other, and gives what comes back until the server closes the connection.
    ///
    /// - Parameters:
    ///   - endsEarly: whether the client says after the last part that nothing more comes.
    ///   - waits: whether to wait between parts, so that the server reads them one by one.
    static func send(
        _ parts: [String], to port: Int, endsEarly: Bool = false, waits: Bool = false
    ) async throws -> String {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await client.executeThenClose { inbound, outbound in
            for part in parts {
                // A server that has answered already may have closed.
                do { try await outbound.write(ByteBuffer(string: part)) } catch { break }
                if waits { try await Task.sleep(for: .milliseconds(30)) }
            }
            if endsEarly { outbound.finish() }
            var answer = ByteBuffer()
            do {
                for try await part in inbound { answer.writeImmutableBuffer(part) }
            } catch let error as IOError {
                // The server has closed with bytes of ours unread.
                guard error.errnoCode == ECONNRESET else { throw error }
            }
            return String(buffer: answer)
        }
    }

    /// The status of an answer, and 0 for none.
    static func status(_ answer: String) -> Int {
        guard answer.hasPrefix("HTTP/1.1 ") else { return 0 }
        return Int(answer.dropFirst(9).prefix(3)) ?? 0
    }
}
